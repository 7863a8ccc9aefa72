// RUN: not teloom-opt %s -p apply-schedule,infer-bounds 2>&1 | filecheck %s

// What the bounds are read from is a tensor like others.
// CHECK: stage "S" at [7] reads P[8], but axis 0 of P runs from 0 to 7
te.func @beyond(%P: tensor<8xi32>, %A: tensor<30xf32>) -> (tensor<8xf32>) {
  %S = te.compute "S" (%i = 8) reduce (%k = 30) : tensor<8xf32> {
    %b = te.read %A[%k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } bounds %k (%p) {
    %0 = te.read %P[%p + 1] : i32
    %1 = arith.index_cast %0 : i32 to index
    te.yield %p, %1 : index, index
  }
  te.return %S : tensor<8xf32>
}
