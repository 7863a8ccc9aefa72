// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// D reads a second computation of both results, with loops of its own; E goes on reading B, whose
// loops are split.
te.func @tuple(%A: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B, %T = te.compute "B" (%i = 8) reduce (%k = 4) : tensor<8xf32>, tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a, %a : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 1.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.mulf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%x = 8) : tensor<8xf32> {
    %b = te.read %B[%x] : f32
    %t = te.read %T[%x] : f32
    %s = arith.addf %b, %t : f32
    te.yield %s : f32
  }
  %E = te.compute "E" (%e = 8) : tensor<8xf32> {
    %b = te.read %B[%e] : f32
    te.yield %b : f32
  }
  te.return %D, %E : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @tuple {
  %B = schedule.get "B"
  %i, %k = schedule.axes 2 of %B
  %io, %ii = schedule.split %i factor 2
  %D = schedule.get "D"
  %x = schedule.axes 1 of %D
  %B2 = schedule.clone_in %B readers %D
  %i2, %k2 = schedule.axes 2 of %B2
  schedule.compute_at %B2, %D, %x
  schedule.unroll %k2
}

// CHECK-LABEL: te.func @tuple
// CHECK-NEXT:    %B, %T = schedule.stage "B" (%i = 8) reduce (%k = 4)
// CHECK-NEXT:      schedule.split %i factor 2
// CHECK:         schedule.stage "D" (%x = 8)
// CHECK:           %B.clone, %T.clone = schedule.stage "B.clone" at %x (%i_2 = 8) reduce (%k_2 = 4) : tensor<8xf32>, tensor<8xf32> {
// CHECK-NEXT:        schedule.order %i_2, %k_2 unrolled
// CHECK-NEXT:        schedule.equation (%i_3, %k_3) {
// CHECK-NEXT:          [[A:%.*]] = te.read %A[%i_3, %k_3] : f32
// CHECK-NEXT:          te.yield [[A]], [[A]] : f32, f32
// CHECK-NEXT:        } combine ({{.*}}) identity [0.000000e+00 : f32, 1.000000e+00 : f32] {
// CHECK:           te.read %B.clone[%x_1]
// CHECK:           te.read %T.clone[%x_1]
// CHECK:         schedule.stage "E"
// CHECK:           te.read %B[%e_1]
