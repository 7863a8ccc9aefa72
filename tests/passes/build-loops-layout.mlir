// RUN: teloom-opt %s -p te-to-loops | filecheck %s

// The layout of a temporary stands on its storage. An output with one is an array with the physical
// shape, n columns of 10 elements in blocks of four; what stands between groups is of temporaries. So
// is an argument, of n blocks here.
te.func @layouts(%n: index, %A: tensor<10x?xf32>[10, %n]) -> (tensor<10x?xf32>) {
  %B = te.compute "B" (%x = 10, %y = %n) : tensor<10x?xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 10, %j = %n) : tensor<10x?xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<10x?xf32>
}
schedule.sequence @s on @layouts {
  %B = schedule.get "B"
  schedule.transform_layout %B affine_map<(d0, d1) -> (d1, d0)> separators [1]
  %C = schedule.get "C"
  schedule.transform_layout %C affine_map<(d0, d1) -> (d1, d0 floordiv 4, d0 mod 4)> separators [1]
  schedule.transform_layout argument 0 affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)> separators [2]
}

// CHECK-LABEL: func.func @layouts
// CHECK-SAME:    {name = "A", dtype = "float32", shape = affine_map<()[s0] -> ((s0 ceildiv 4), 10, 4)>, layout = affine_map<(d0, d1) -> ((d1 floordiv 4), d0, (d1 mod 4))>}
// CHECK-SAME:    {name = "C", dtype = "float32", shape = affine_map<()[s0] -> (s0, 3, 4)>, layout = affine_map<(d0, d1) -> (d1, (d0 floordiv 4), (d0 mod 4))>, output}
// CHECK:         loop.bind %A [0 : 10, 0 : %n] layout affine_map<(d0, d1) -> ((d1 floordiv 4), d0, (d1 mod 4))> : memref<?xf32>
// CHECK:         loop.bind %C [0 : 10, 0 : %n] layout affine_map<(d0, d1) -> (d1, (d0 floordiv 4), (d0 mod 4))> : memref<?xf32>
// CHECK:         %B = loop.realize "B" [0 : 10, 0 : %n] layout affine_map<(d0, d1) -> (d1, d0)> separators [1] : !loop.tensor<2, f32>
