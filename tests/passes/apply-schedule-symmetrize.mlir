// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The new stage has the equation and the reduce axis; C reads its lower triangle from both sides.
te.func @gram(%X: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = 8) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @gram {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %T = schedule.symmetrize %C, %i, %j
  %io, %ii = schedule.split %i factor 4
  schedule.unroll %k
}

// CHECK-LABEL: te.func @gram
// CHECK-NEXT:    %C.triangle = schedule.stage "C.triangle" (%i.c = 6, %j.c = 6) reduce (%k = 8) : tensor<6x6xf32> {
// CHECK-NEXT:      schedule.order %i.c, %j.c, %k unrolled
// CHECK-NEXT:      schedule.equation (%i, %j, %k_1) {
// CHECK-NEXT:        te.read %X[%k_1, %i] : f32
// CHECK:         %C = schedule.stage "C" (%i_1 = 6, %j_1 = 6) : tensor<6x6xf32> {
// CHECK-NEXT:      %io, %ii = schedule.split %i_1 factor 4
// CHECK-NEXT:      schedule.order %io, %ii, %j_1
// CHECK-NEXT:      schedule.equation (%i_2, %j_2) {
// CHECK-NEXT:        [[BELOW:%.*]] = arith.cmpi sle, %j_2, %i_2 : index
// CHECK-NEXT:        [[V:%.*]] = scf.if [[BELOW]] -> (f32) {
// CHECK-NEXT:          [[X:%.*]] = te.read %C.triangle[%i_2, %j_2] : f32
// CHECK-NEXT:          scf.yield [[X]] : f32
// CHECK-NEXT:        } else {
// CHECK-NEXT:          [[Y:%.*]] = te.read %C.triangle[%j_2, %i_2] : f32
// CHECK-NEXT:          scf.yield [[Y]] : f32
// CHECK-NEXT:        }
// CHECK-NEXT:        te.yield [[V]] : f32

// -----

// Above the diagonal, with the axes in the other order. An axis in front is one of the triangle, too.
te.func @batches(%X: tensor<2x6x8xf32>) -> (tensor<2x6x6xf32>) {
  %D = te.compute "D" (%b = 2, %i = 6, %j = 6) reduce (%k = 8) : tensor<2x6x6xf32> {
    %x = te.read %X[%b, %i, %k] : f32
    %y = te.read %X[%b, %j, %k] : f32
    %d = arith.subf %x, %y : f32
    %p = arith.mulf %d, %d : f32
    te.yield %p : f32
  } combine (%a: f32, %c: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %c : f32
    te.yield %s : f32
  }
  te.return %D : tensor<2x6x6xf32>
}
schedule.sequence @s on @batches {
  %D = schedule.get "D"
  %b, %i, %j, %k = schedule.axes 4 of %D
  %T = schedule.symmetrize %D, %j, %i
}

// CHECK-LABEL: te.func @batches
// CHECK:         %D.triangle = schedule.stage "D.triangle" (%b.c = 2, %i.c = 6, %j.c = 6) reduce (%k = 8)
// CHECK:         %D = schedule.stage "D" (%b_1 = 2, %i_1 = 6, %j_1 = 6) : tensor<2x6x6xf32> {
// CHECK:             arith.cmpi sle, %i_2, %j_2 : index
// CHECK:               te.read %D.triangle[%b_2, %i_2, %j_2] : f32
// CHECK:               te.read %D.triangle[%b_2, %j_2, %i_2] : f32

// -----

// An element of a stage that is symmetric is the same in either order.
te.func @read(%X: tensor<6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) : tensor<6x6xf32> {
    %x = te.read %X[%i] : f32
    %y = te.read %X[%j] : f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  }
  %D = te.compute "D" (%i = 6, %j = 6) : tensor<6x6xf32> {
    %c = te.read %C[%j, %i] : f32
    %e = math.exp %c : f32
    te.yield %e : f32
  }
  te.return %D : tensor<6x6xf32>
}
schedule.sequence @s on @read {
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %T = schedule.symmetrize %D, %i, %j
}

// CHECK-LABEL: te.func @read
// CHECK:         %D.triangle = schedule.stage "D.triangle" (%i.c = 6, %j.c = 6) : tensor<6x6xf32> {
// CHECK-NEXT:      schedule.order %i.c, %j.c
// CHECK-NEXT:      schedule.equation (%i_2, %j_2) {
// CHECK-NEXT:        %c = te.read %C[%j_2, %i_2] : f32
