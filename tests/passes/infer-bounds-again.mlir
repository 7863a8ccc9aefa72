// RUN: teloom-opt %s -p infer-bounds | filecheck %s

// Ranges that are there already are replaced, also one that is over bounds of the stage around.
// CHECK-LABEL: @rows
// CHECK:           %k.first, %k.end = schedule.bounds %k
// CHECK-NEXT:      schedule.region [0 : 8]
// CHECK-NEXT:      schedule.range %i = 0 to 8
// CHECK-NEXT:      schedule.range %k = %k.first to %k.end
// CHECK:             schedule.region [0 : %n]
// CHECK-NEXT:        schedule.range %j = 0 to %n
te.func @rows(%n: index, %P: tensor<9xi32>, %A: tensor<?xf32>[%n]) -> (tensor<8xf32>) {
  %S = schedule.stage "S" (%i = 8) reduce (%k = %n) : tensor<8xf32> {
    schedule.order %i, %k
    %k.first, %k.end = schedule.bounds %k
    schedule.region [0 : 8]
    schedule.range %i = 0 to 8
    schedule.range %k = %k.first to %k.end
    %B = schedule.stage "B" at %i (%j = %n) : tensor<?xf32> {
      schedule.order %j
      schedule.region [0 : %n]
      schedule.range %j = %k.first to %k.end
      schedule.equation (%j_1) {
        %a = te.read %A[%j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %k_1) {
      %b = te.read %B[%k_1] : f32
      te.yield %b : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    } bounds %k_1 (%p) {
      %0 = te.read %P[%p] : i32
      %1 = te.read %P[%p + 1] : i32
      %2 = arith.index_cast %0 : i32 to index
      %3 = arith.index_cast %1 : i32 to index
      te.yield %2, %3 : index, index
    }
  }
  te.return %S : tensor<8xf32>
}
