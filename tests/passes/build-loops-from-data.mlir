// RUN: teloom-opt %s -p te-to-loops | filecheck %s

// Bounds are read once per row, outside of the loops over its columns.
// CHECK-LABEL: func.func @rows
// CHECK:         loop.for %i = 0 to 8 {
// CHECK-NEXT:      %0 = loop.load %P_1[%i] : i32
// CHECK-NEXT:      %k.end = arith.index_cast %0 : i32 to index
// CHECK-NEXT:      %k.first = arith.constant 0 : index
// CHECK-NEXT:      loop.for %j = 0 to 16 vectorized {
// CHECK:             loop.init
// CHECK:           loop.for %k = %k.first to %k.end {
// CHECK-NEXT:        loop.for %j_1 = 0 to 16 vectorized {
te.func @rows(%P: tensor<8xi32>, %A: tensor<30x16xf32>) -> (tensor<8x16xf32>) {
  %S = te.compute "S" (%i = 8, %j = 16) reduce (%k = 30) : tensor<8x16xf32> {
    %a = te.read %A[%k, %j] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } bounds %k (%p, %q) {
    %0 = te.read %P[%p] : i32
    %1 = arith.index_cast %0 : i32 to index
    %2 = arith.constant 0 : index
    te.yield %2, %1 : index, index
  }
  te.return %S : tensor<8x16xf32>
}
schedule.sequence @s on @rows {
  %S = schedule.get "S"
  %i, %j, %k = schedule.axes 3 of %S
  schedule.reorder %i, %k, %j
  schedule.vectorize %j
}
