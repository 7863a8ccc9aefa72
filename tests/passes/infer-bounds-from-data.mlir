// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// A loop of an axis with bounds from data is as long as these say, also in tiles. What is read in
// all of it can be anywhere: only the limits of these bounds are known.
te.func @rows(%n: index, %P: tensor<9xi32>, %A: tensor<?xf32>[%n]) -> (tensor<8xf32>) {
  %B = te.compute "B" (%j = %n) : tensor<?xf32> {
    %a = te.read %A[%j] : f32
    te.yield %a : f32
  }
  %S = te.compute "S" (%i = 8) reduce (%k = %n) : tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } bounds %k (%p) {
    %0 = te.read %P[%p] : i32
    %1 = te.read %P[%p + 1] : i32
    %2 = arith.index_cast %0 : i32 to index
    %3 = arith.index_cast %1 : i32 to index
    te.yield %2, %3 : index, index
  }
  te.return %S : tensor<8xf32>
}
schedule.sequence @s on @rows {
  %S = schedule.get "S"
  %B = schedule.get "B"
  %i, %k = schedule.axes 2 of %S
  %ko, %ki = schedule.split %k factor 4
  schedule.compute_at %B, %S, %i
}

// CHECK-LABEL: te.func @rows
// CHECK:         schedule.order %i, %ko, %ki
// CHECK-NEXT:    %k.first, %k.end = schedule.bounds %k
// CHECK-NEXT:    schedule.region [0 : 8]
// CHECK-NEXT:    schedule.range %i = 0 to 8
// CHECK-NEXT:    schedule.range %ko = %k.first floordiv 4 to %k.end ceildiv 4
// CHECK-NEXT:    schedule.range %ki = max(0, %k.first - %ko * 4) to min(4, %k.end - %ko * 4)
// CHECK:         schedule.stage "B" at %i
// CHECK-NEXT:      schedule.order %j
// CHECK-NEXT:      schedule.region [0 : %n]

// -----

// Outside of the loops of the axes that they are over, bounds from data are not known yet.
te.func @outside(%P: tensor<8xi32>, %A: tensor<30xf32>) -> (tensor<8xf32>) {
  %S = te.compute "S" (%i = 8) reduce (%k = 1 to 30) : tensor<8xf32> {
    %b = te.read %A[%k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } bounds %k (%p) {
    %0 = te.read %P[%p] : i32
    %1 = arith.index_cast %0 : i32 to index
    te.yield %p, %1 : index, index
  }
  te.return %S : tensor<8xf32>
}
schedule.sequence @s on @outside {
  %S = schedule.get "S"
  %i, %k = schedule.axes 2 of %S
  schedule.reorder %k, %i
}

// CHECK-LABEL: te.func @outside
// CHECK:         schedule.range %k = 1 to 30
// CHECK-NEXT:    schedule.range %i = 0 to 8
// CHECK-NEXT:    schedule.guard (%k - %k.first >= 0, %k.end - %k - 1 >= 0)
