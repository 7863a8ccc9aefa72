// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// S.rf has a partial result for each ki; ko is left to it. S folds them in the place of ki, from
// its init. What is said of its data axes stays, and the iterations behind the end of k are the
// identity.
te.func @row(%A: tensor<6x19xf32>) -> (tensor<6xf32>) {
  %S = te.compute "S" (%i = 6) reduce (%k = 19) : tensor<6xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } init (%p) {
    %a = te.read %A[%p, 0] : f32
    te.yield %a : f32
  }
  te.return %S : tensor<6xf32>
}
schedule.sequence @s on @row {
  %S = schedule.get "S"
  %i, %k = schedule.axes 2 of %S
  %io, %ii = schedule.split %i factor 2
  %ko, %ki = schedule.split %k factor 4
  schedule.reorder %ki, %ii
  schedule.always_partition %ko
  %SF, %v = schedule.rfactor %S, %ki at 1
  schedule.unroll %v
  schedule.unroll %ko
}

// CHECK-LABEL: te.func @row
// CHECK-NEXT:    %S.rf = schedule.stage "S.rf" (%i.rf = 6, %ki = 4) reduce (%ko = 5) : tensor<6x4xf32> {
// CHECK-NEXT:      schedule.partitioned %ko "always"
// CHECK-NEXT:      schedule.order %i.rf, %ki, %ko unrolled
// CHECK-NEXT:      schedule.equation (%i.rf_1, %ki_1, %ko_1) {
// CHECK:             [[LEFT:%.*]] = affine.apply affine_map<(d0, d1) -> ((((d0 * -1) + (d1 * -4)) + 18))> (%ki_1, %ko_1)
// CHECK-NEXT:        [[INSIDE:%.*]] = arith.cmpi sge, [[LEFT]],
// CHECK-NEXT:        {{.*}} = scf.if [[INSIDE]] -> (f32) {
// CHECK-NEXT:          {{.*}} = te.read %A[%i.rf_1, %ko_1 * 4 + %ki_1] : f32
// CHECK:             } else {
// CHECK-NEXT:          {{.*}} = arith.constant 0.000000e+00 : f32
// CHECK:           } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
// CHECK-NOT:       init
// CHECK:         %S = schedule.stage "S" reassociated by "rfactor" (%i = 6) reduce (%v = 4) : tensor<6xf32> {
// CHECK-NEXT:      %io, %ii = schedule.split %i factor 2
// CHECK-NEXT:      schedule.order %io, %v unrolled, %ii
// CHECK-NEXT:      schedule.equation (%i_1, %v_1) {
// CHECK-NEXT:        {{.*}} = te.read %S.rf[%i_1, %v_1] : f32
// CHECK:           } combine
// CHECK:           } init (%p) {

// -----

// The part that the number of parts fixes is counted by code: its extent is symbolic. A reduce axis
// that nothing joins with k keeps its relations and its kind.
te.func @parts(%n: index, %A: tensor<?x8xf32>[%n, 8]) -> (tensor<f32>) {
  %S = te.compute "S" () reduce (%k = %n, %l = 8) : tensor<f32> {
    %a = te.read %A[%k, %l] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<f32>
}
schedule.sequence @s on @parts {
  %S = schedule.get "S"
  %k, %l = schedule.axes 2 of %S
  %ko, %ki = schedule.split %k nparts 4
  %lo, %li = schedule.split %l factor 2
  schedule.vectorize %li
  %SF, %v = schedule.rfactor %S, %ko at 0
}

// CHECK-LABEL: te.func @parts
// CHECK-NEXT:    %S.rf = schedule.stage "S.rf" (%ko = 4) reduce (%l = 8, %ki = %n ceildiv 4) : tensor<4xf32> {
// CHECK-NEXT:      %lo, %li = schedule.split %l factor 2
// CHECK-NEXT:      schedule.order %ko, %ki, %lo, %li vectorized
// CHECK:             [[PART:%.*]] = affine.apply affine_map<(d0) -> ((d0 ceildiv 4))> (%n)
// CHECK-NEXT:        [[BEGIN:%.*]] = arith.muli %ko_1, [[PART]] : index
// CHECK:             scf.if
// CHECK-NEXT:          [[K:%.*]] = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> ([[BEGIN]], %ki_1)
// CHECK-NEXT:          [[INSIDE:%.*]] = te.bounded [[K]] in 0 to %n
// CHECK-NEXT:          {{.*}} = te.read %A[[[INSIDE]], %l_1] : f32
// CHECK:         %S = schedule.stage "S" reassociated by "rfactor" () reduce (%v = 4) : tensor<f32> {

// -----

// Fused axes are found by division; the only reduce axis leaves no reduction, but its values. The
// tensors of a tuple are factored together.
te.func @pair(%A: tensor<3x4xf32>) -> (tensor<f32>) {
  %S, %T = te.compute "S" () reduce (%k = 3, %l = 4) : tensor<f32>, tensor<f32> {
    %a = te.read %A[%k, %l] : f32
    te.yield %a, %a : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 1.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.mulf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  te.return %S : tensor<f32>
}
schedule.sequence @s on @pair {
  %S = schedule.get "S"
  %k, %l = schedule.axes 2 of %S
  %f = schedule.fuse %k, %l
  %SF, %v = schedule.rfactor %S, %f at 0
}

// CHECK-LABEL: te.func @pair
// CHECK-NEXT:    %S.rf, %T.rf = schedule.stage "S.rf" (%f = 12) : tensor<12xf32>, tensor<12xf32> {
// CHECK-NEXT:      schedule.order %f
// CHECK-NEXT:      schedule.equation (%f_1) {
// CHECK-NEXT:        [[A:%.*]] = te.read %A[%f_1 floordiv 4, %f_1 mod 4] : f32
// CHECK-NEXT:        te.yield [[A]], [[A]] : f32, f32
// CHECK:         %S, %T = schedule.stage "S" reassociated by "rfactor" () reduce (%v = 12)
// CHECK:             te.read %S.rf[%v_1] : f32
// CHECK-NEXT:        {{.*}} = te.read %T.rf[%v_1] : f32

// -----

// An axis that starts elsewhere counts from 0 in S.rf.
te.func @late(%A: tensor<9xf32>) -> (tensor<f32>) {
  %S = te.compute "S" () reduce (%k = 2 to 9) : tensor<f32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<f32>
}
schedule.sequence @s on @late {
  %S = schedule.get "S"
  %k = schedule.axes 1 of %S
  %SF, %v = schedule.rfactor %S, %k at 0
  %SG, %w = schedule.rfactor %S, %v at 0
}

// CHECK-LABEL: te.func @late
// CHECK-NEXT:    %S.rf = schedule.stage "S.rf" (%k = 7) : tensor<7xf32> {
// CHECK:             te.read %A[%k_1 + 2] : f32
// CHECK:         %S.rf_1 = schedule.stage "S.rf_1" (%v = 7) : tensor<7xf32> {
// CHECK:             te.read %S.rf[%v_1] : f32
// CHECK:         %S = schedule.stage "S" reassociated by "rfactor" () reduce (%w = 7)
// CHECK:             te.read %S.rf_1[%w_1] : f32
