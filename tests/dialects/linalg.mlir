// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

// Named ops that xDSL lacks, in upstream's syntax.

// CHECK: = linalg.abs 
%a0_abs, %o_abs = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
%r_abs = linalg.abs ins(%a0_abs : tensor<4xf32>) outs(%o_abs : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.ceil 
%a0_ceil, %o_ceil = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
%r_ceil = linalg.ceil ins(%a0_ceil : tensor<4xf32>) outs(%o_ceil : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.div 
%a0_div, %a1_div, %o_div = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
%r_div = linalg.div ins(%a0_div, %a1_div : tensor<4xf32>, tensor<4xf32>) outs(%o_div : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.div_unsigned 
%a0_div_unsigned, %a1_div_unsigned, %o_div_unsigned = "test.op"() : () -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
%r_div_unsigned = linalg.div_unsigned ins(%a0_div_unsigned, %a1_div_unsigned : tensor<4xi32>, tensor<4xi32>) outs(%o_div_unsigned : tensor<4xi32>) -> tensor<4xi32>
// CHECK: = linalg.erf 
%a0_erf, %o_erf = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
%r_erf = linalg.erf ins(%a0_erf : tensor<4xf32>) outs(%o_erf : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.floor 
%a0_floor, %o_floor = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
%r_floor = linalg.floor ins(%a0_floor : tensor<4xf32>) outs(%o_floor : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.negf 
%a0_negf, %o_negf = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
%r_negf = linalg.negf ins(%a0_negf : tensor<4xf32>) outs(%o_negf : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.powf 
%a0_powf, %a1_powf, %o_powf = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
%r_powf = linalg.powf ins(%a0_powf, %a1_powf : tensor<4xf32>, tensor<4xf32>) outs(%o_powf : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.round 
%a0_round, %o_round = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
%r_round = linalg.round ins(%a0_round : tensor<4xf32>) outs(%o_round : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.rsqrt 
%a0_rsqrt, %o_rsqrt = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
%r_rsqrt = linalg.rsqrt ins(%a0_rsqrt : tensor<4xf32>) outs(%o_rsqrt : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.tanh 
%a0_tanh, %o_tanh = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
%r_tanh = linalg.tanh ins(%a0_tanh : tensor<4xf32>) outs(%o_tanh : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.dot 
%a0_dot, %a1_dot, %o_dot = "test.op"() : () -> (tensor<5xf32>, tensor<5xf32>, tensor<f32>)
%r_dot = linalg.dot ins(%a0_dot, %a1_dot : tensor<5xf32>, tensor<5xf32>) outs(%o_dot : tensor<f32>) -> tensor<f32>
// CHECK: = linalg.matvec 
%a0_matvec, %a1_matvec, %o_matvec = "test.op"() : () -> (tensor<3x5xf32>, tensor<5xf32>, tensor<3xf32>)
%r_matvec = linalg.matvec ins(%a0_matvec, %a1_matvec : tensor<3x5xf32>, tensor<5xf32>) outs(%o_matvec : tensor<3xf32>) -> tensor<3xf32>
// CHECK: = linalg.vecmat 
%a0_vecmat, %a1_vecmat, %o_vecmat = "test.op"() : () -> (tensor<5xf32>, tensor<5x4xf32>, tensor<4xf32>)
%r_vecmat = linalg.vecmat ins(%a0_vecmat, %a1_vecmat : tensor<5xf32>, tensor<5x4xf32>) outs(%o_vecmat : tensor<4xf32>) -> tensor<4xf32>
// CHECK: = linalg.batch_matmul 
%a0_batch_matmul, %a1_batch_matmul, %o_batch_matmul = "test.op"() : () -> (tensor<2x3x5xf32>, tensor<2x5x4xf32>, tensor<2x3x4xf32>)
%r_batch_matmul = linalg.batch_matmul ins(%a0_batch_matmul, %a1_batch_matmul : tensor<2x3x5xf32>, tensor<2x5x4xf32>) outs(%o_batch_matmul : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK: = linalg.batch_matvec 
%a0_batch_matvec, %a1_batch_matvec, %o_batch_matvec = "test.op"() : () -> (tensor<2x3x5xf32>, tensor<2x5xf32>, tensor<2x3xf32>)
%r_batch_matvec = linalg.batch_matvec ins(%a0_batch_matvec, %a1_batch_matvec : tensor<2x3x5xf32>, tensor<2x5xf32>) outs(%o_batch_matvec : tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: = linalg.batch_vecmat 
%a0_batch_vecmat, %a1_batch_vecmat, %o_batch_vecmat = "test.op"() : () -> (tensor<2x5xf32>, tensor<2x5x4xf32>, tensor<2x4xf32>)
%r_batch_vecmat = linalg.batch_vecmat ins(%a0_batch_vecmat, %a1_batch_vecmat : tensor<2x5xf32>, tensor<2x5x4xf32>) outs(%o_batch_vecmat : tensor<2x4xf32>) -> tensor<2x4xf32>
// Strides and dilations are 1 where the text says none.
%a0_n, %a1_n, %o_n = "test.op"() : () -> (tensor<2x5x5x2xf32>, tensor<2x2x2x2xf32>, tensor<2x4x4x2xf32>)
// CHECK: %r_n = linalg.conv_2d_nhwc_hwcf
%r_n = linalg.conv_2d_nhwc_hwcf ins(%a0_n, %a1_n : tensor<2x5x5x2xf32>, tensor<2x2x2x2xf32>) outs(%o_n : tensor<2x4x4x2xf32>) -> tensor<2x4x4x2xf32>
%a0_f, %a1_f, %o_f = "test.op"() : () -> (tensor<2x5x5x2xf32>, tensor<2x2x2x2xf32>, tensor<2x4x4x2xf32>)
// CHECK: %r_f = linalg.conv_2d_nhwc_fhwc
%r_f = linalg.conv_2d_nhwc_fhwc ins(%a0_f, %a1_f : tensor<2x5x5x2xf32>, tensor<2x2x2x2xf32>) outs(%o_f : tensor<2x4x4x2xf32>) -> tensor<2x4x4x2xf32>
%a0_c, %a1_c, %o_c = "test.op"() : () -> (tensor<2x2x5x5xf32>, tensor<2x2x2x2xf32>, tensor<2x2x4x4xf32>)
// CHECK: %r_c = linalg.conv_2d_nchw_fchw
%r_c = linalg.conv_2d_nchw_fchw ins(%a0_c, %a1_c : tensor<2x2x5x5xf32>, tensor<2x2x2x2xf32>) outs(%o_c : tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
// CHECK: = linalg.depthwise_conv_2d_nchw_chw 
%a0_depthwise_conv_2d_nchw_chw, %a1_depthwise_conv_2d_nchw_chw, %o_depthwise_conv_2d_nchw_chw = "test.op"() : () -> (tensor<2x2x5x5xf32>, tensor<2x2x2xf32>, tensor<2x2x4x4xf32>)
%r_depthwise_conv_2d_nchw_chw = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a0_depthwise_conv_2d_nchw_chw, %a1_depthwise_conv_2d_nchw_chw : tensor<2x2x5x5xf32>, tensor<2x2x2xf32>) outs(%o_depthwise_conv_2d_nchw_chw : tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
// CHECK: = linalg.depthwise_conv_2d_nhwc_hwc 
%a0_depthwise_conv_2d_nhwc_hwc, %a1_depthwise_conv_2d_nhwc_hwc, %o_depthwise_conv_2d_nhwc_hwc = "test.op"() : () -> (tensor<2x5x5x2xf32>, tensor<2x2x2xf32>, tensor<2x4x4x2xf32>)
%r_depthwise_conv_2d_nhwc_hwc = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a0_depthwise_conv_2d_nhwc_hwc, %a1_depthwise_conv_2d_nhwc_hwc : tensor<2x5x5x2xf32>, tensor<2x2x2xf32>) outs(%o_depthwise_conv_2d_nhwc_hwc : tensor<2x4x4x2xf32>) -> tensor<2x4x4x2xf32>
// CHECK: = linalg.pooling_nchw_max 
%a0_pooling_nchw_max, %a1_pooling_nchw_max, %o_pooling_nchw_max = "test.op"() : () -> (tensor<2x2x5x5xf32>, tensor<2x2xf32>, tensor<2x2x4x4xf32>)
%r_pooling_nchw_max = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a0_pooling_nchw_max, %a1_pooling_nchw_max : tensor<2x2x5x5xf32>, tensor<2x2xf32>) outs(%o_pooling_nchw_max : tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
// CHECK: = linalg.pooling_nchw_sum 
%a0_pooling_nchw_sum, %a1_pooling_nchw_sum, %o_pooling_nchw_sum = "test.op"() : () -> (tensor<2x2x5x5xf32>, tensor<2x2xf32>, tensor<2x2x4x4xf32>)
%r_pooling_nchw_sum = linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a0_pooling_nchw_sum, %a1_pooling_nchw_sum : tensor<2x2x5x5xf32>, tensor<2x2xf32>) outs(%o_pooling_nchw_sum : tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
// CHECK: = linalg.pooling_nhwc_max 
%a0_pooling_nhwc_max, %a1_pooling_nhwc_max, %o_pooling_nhwc_max = "test.op"() : () -> (tensor<2x5x5x2xf32>, tensor<2x2xf32>, tensor<2x4x4x2xf32>)
%r_pooling_nhwc_max = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a0_pooling_nhwc_max, %a1_pooling_nhwc_max : tensor<2x5x5x2xf32>, tensor<2x2xf32>) outs(%o_pooling_nhwc_max : tensor<2x4x4x2xf32>) -> tensor<2x4x4x2xf32>
// CHECK: = linalg.pooling_nhwc_min 
%a0_pooling_nhwc_min, %a1_pooling_nhwc_min, %o_pooling_nhwc_min = "test.op"() : () -> (tensor<2x5x5x2xf32>, tensor<2x2xf32>, tensor<2x4x4x2xf32>)
%r_pooling_nhwc_min = linalg.pooling_nhwc_min {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a0_pooling_nhwc_min, %a1_pooling_nhwc_min : tensor<2x5x5x2xf32>, tensor<2x2xf32>) outs(%o_pooling_nhwc_min : tensor<2x4x4x2xf32>) -> tensor<2x4x4x2xf32>
// CHECK: = linalg.pooling_nhwc_sum 
%a0_pooling_nhwc_sum, %a1_pooling_nhwc_sum, %o_pooling_nhwc_sum = "test.op"() : () -> (tensor<2x5x5x2xf32>, tensor<2x2xf32>, tensor<2x4x4x2xf32>)
%r_pooling_nhwc_sum = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a0_pooling_nhwc_sum, %a1_pooling_nhwc_sum : tensor<2x5x5x2xf32>, tensor<2x2xf32>) outs(%o_pooling_nhwc_sum : tensor<2x4x4x2xf32>) -> tensor<2x4x4x2xf32>
// CHECK: = linalg.conv_2d 
%a0_conv_2d, %a1_conv_2d, %o_conv_2d = "test.op"() : () -> (tensor<5x5xf32>, tensor<2x2xf32>, tensor<4x4xf32>)
%r_conv_2d = linalg.conv_2d ins(%a0_conv_2d, %a1_conv_2d : tensor<5x5xf32>, tensor<2x2xf32>) outs(%o_conv_2d : tensor<4x4xf32>) -> tensor<4x4xf32>

// A body, several results, notes behind the operands; one op that folds in braces.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
%A, %s, %t = "test.op"() : () -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK: linalg.generic {indexing_maps = [{{.*}}], iterator_types = ["parallel", "reduction"]} ins(%A : tensor<4x8xf32>) outs(%s, %t : tensor<4xf32>, tensor<4xf32>) attrs =  {my.note = 1 : i32}
// CHECK: -> (tensor<4xf32>, tensor<4xf32>)
%u:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%A : tensor<4x8xf32>) outs(%s, %t : tensor<4xf32>, tensor<4xf32>) attrs = {my.note = 1 : i32} {
^bb0(%a: f32, %x: f32, %y: f32):
  %p = arith.addf %x, %a : f32
  %q = arith.mulf %y, %a : f32
  linalg.yield %p, %q : f32, f32
} -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: %v = linalg.reduce ins(%A:tensor<4x8xf32>) outs(%s:tensor<4xf32>) dimensions = [1]
// CHECK: arith.addf
%v = linalg.reduce { arith.addf } ins(%A : tensor<4x8xf32>) outs(%s : tensor<4xf32>) dimensions = [1]
