// RUN: teloom-opt %s -p build-loops | filecheck %s

// The layout of a temporary stands on its storage. An output with one is an array with the physical
// shape, n columns of 10 elements in blocks of four; what stands between groups is of temporaries. So
// is an argument, of n blocks here.
te.func @layouts(%n: index, %A: tensor<10x?xf32>[10, %n] layout affine_map<(d0, d1) -> ((d1 floordiv 4), d0, (d1 mod 4))> separators [2]) -> (tensor<10x?xf32>) {
  %B = schedule.stage "B" layout affine_map<(d0, d1) -> (d1, d0)> separators [1] (%x = 10, %y = %n) : tensor<10x?xf32> {
    schedule.order %x, %y
    schedule.region [0 : 10, 0 : %n]
    schedule.range %x = 0 to 10
    schedule.range %y = 0 to %n
    schedule.equation (%x_1, %y_1) {
      %a = te.read %A[%x_1, %y_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" layout affine_map<(d0, d1) -> (d1, (d0 floordiv 4), (d0 mod 4))> separators [1] (%i = 10, %j = %n) : tensor<10x?xf32> {
    schedule.order %i, %j
    schedule.region [0 : 10, 0 : %n]
    schedule.range %i = 0 to 10
    schedule.range %j = 0 to %n
    schedule.equation (%i_1, %j_1) {
      %b = te.read %B[%i_1, %j_1] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<10x?xf32>
}

// CHECK-LABEL: func.func @layouts
// CHECK-SAME:    {name = "A", dtype = "float32", shape = affine_map<()[s0] -> ((s0 ceildiv 4), 10, 4)>, layout = affine_map<(d0, d1) -> ((d1 floordiv 4), d0, (d1 mod 4))>}
// CHECK-SAME:    {name = "C", dtype = "float32", shape = affine_map<()[s0] -> (s0, 3, 4)>, layout = affine_map<(d0, d1) -> (d1, (d0 floordiv 4), (d0 mod 4))>, output}
// CHECK:         loop.bind %A [0 : 10, 0 : %n] layout affine_map<(d0, d1) -> ((d1 floordiv 4), d0, (d1 mod 4))> : memref<?xf32>
// CHECK:         loop.bind %C [0 : 10, 0 : %n] layout affine_map<(d0, d1) -> (d1, (d0 floordiv 4), (d0 mod 4))> : memref<?xf32>
// CHECK:         %B = loop.realize "B" [0 : 10, 0 : %n] layout affine_map<(d0, d1) -> (d1, d0)> separators [1] : !loop.tensor<2, f32>

// The last extent of an array with a packed layout counts rows.
te.func @packed(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m] layout affine_map<(d0, d1) -> (d0, d1)> packed lower, %B: tensor<?x?xf32>[%n, %m] layout affine_map<(d0, d1) -> (d0, d1)> packed upper) -> (tensor<3x4x4xf32>) {
  %C = schedule.stage "C" layout affine_map<(d0, d1, d2) -> (d0, d1, d2)> packed lower (%b = 3, %i = 4, %j = 4) where (%i - %j >= 0) : tensor<3x4x4xf32> {
    schedule.order %b, %i, %j
    schedule.region [0 : 3, 0 : 4, 0 : 4]
    schedule.range %b = 0 to 3
    schedule.range %i = 0 to 4
    schedule.range %j = 0 to %i + 1
    schedule.equation (%b_1, %i_1, %j_1) {
      %zero = arith.constant 0.0 : f32
      te.yield %zero : f32
    }
  }
  te.return %C : tensor<3x4x4xf32>
}

// CHECK-LABEL: func.func @packed(
// CHECK-SAME:    %C: memref<30xf32>
// CHECK-SAME:    {name = "A", dtype = "float32", shape = affine_map<()[s0, s1] -> (s0)>, layout = affine_map<(d0, d1) -> (d0, d1)>, packed = "lower"}
// CHECK-SAME:    {name = "B", dtype = "float32", shape = affine_map<()[s0, s1] -> (s1)>, layout = affine_map<(d0, d1) -> (d0, d1)>, packed = "upper"}
// CHECK-SAME:    {name = "C", dtype = "float32", shape = affine_map<()[s0, s1] -> (3, 4)>, layout = affine_map<(d0, d1, d2) -> (d0, d1, d2)>, packed = "lower", output}
// CHECK:         loop.bind %A [0 : %n, 0 : %m] layout affine_map<(d0, d1) -> (d0, d1)> packed lower : memref<?xf32>
