// RUN: teloom-opt %s -p infer-bounds 2>&1 | filecheck %s

// A gather may read any row, so every iteration prefetches all of them.
// CHECK: remark: stage "G" prefetches the same of T in all iterations of i: what these read does not depend on it, as far as is known
// CHECK-NOT: remark:
te.func @gathered(%T: tensor<64xf32>, %at: tensor<8xi32>) -> (tensor<8xf32>) {
  %G = schedule.stage "G" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    schedule.prefetched %T at %i offset 1
    schedule.prefetched %at at %i offset 1
    schedule.equation (%i_1) {
      %0 = te.read %at[%i_1] : i32
      %1 = arith.index_cast %0 : i32 to index
      %2 = te.read %T[%1] : f32
      te.yield %2 : f32
    }
  }
  te.return %G : tensor<8xf32>
}
