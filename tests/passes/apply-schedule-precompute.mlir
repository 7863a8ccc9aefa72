// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// Parts that are computed alike are one. What is read keeps its place; axes are as named.
// CHECK-LABEL: te.func @alike
// CHECK-NEXT:    %C.pre = schedule.stage "C.pre" (%k = 4, %i = 8) : tensor<4x8xf32> {
// CHECK-NEXT:      schedule.order %k, %i
// CHECK-NEXT:      schedule.equation (%k_1, %i_1) {
// CHECK-NEXT:        %a = te.read %A[%i_1, %k_1] : f32
// CHECK-NEXT:        %x = math.exp %a : f32
// CHECK-NEXT:        te.yield %x : f32
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %C = schedule.stage "C" (%i_2 = 8, %j = 8) reduce (%k_2 = 4) : tensor<8x8xf32> {
// CHECK-NEXT:      schedule.order %i_2, %j, %k_2
// CHECK-NEXT:      schedule.equation (%i_3, %j_1, %k_3) {
// CHECK-NEXT:        %x_1 = te.read %C.pre[%k_3, %i_3] : f32
// CHECK-NEXT:        %b = te.read %B[%k_3, %j_1] : f32
// CHECK-NEXT:        %p = arith.mulf %x_1, %b : f32
// CHECK-NEXT:        %q = arith.addf %p, %x_1 : f32
// CHECK-NEXT:        te.yield %q : f32
te.func @alike(%A: tensor<8x4xf32>, %B: tensor<4x8xf32>) -> (tensor<8x8xf32>) {
  %C = te.compute "C" (%i = 8, %j = 8) reduce (%k = 4) : tensor<8x8xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = math.exp %a : f32
    %b = te.read %B[%k, %j] : f32
    %p = arith.mulf %x, %b : f32
    %a2 = te.read %A[%i, %k] : f32
    %x2 = math.exp %a2 : f32
    %q = arith.addf %p, %x2 : f32
    te.yield %q : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @once on @alike {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %E = schedule.precompute %C, %k, %i
}

// -----

// Two parts are two results. Loops that commands have made before stay. Positions are no parts.
// CHECK-LABEL: te.func @two
// CHECK-NEXT:    %C.pre, %C.pre_1 = schedule.stage "C.pre" (%j = 8) : tensor<8xf32>, tensor<8xf32> {
// CHECK-NEXT:      schedule.order %j vectorized
// CHECK-NEXT:      schedule.equation (%j_1) {
// CHECK-NEXT:        %b = te.read %B[%j_1] : f32
// CHECK-NEXT:        %s = math.sin %b : f32
// CHECK-NEXT:        %f = arith.index_cast %j_1 : index to i32
// CHECK-NEXT:        %g = arith.sitofp %f : i32 to f32
// CHECK-NEXT:        te.yield %s, %g : f32, f32
// CHECK:         %C = schedule.stage "C"
// CHECK-NEXT:      %io, %ii = schedule.split %i factor 4
// CHECK:             te.read %A[%{{.*}}, (%{{.*}} + 1) mod 8] : f32
// CHECK-NEXT:        %s_1 = te.read %C.pre[%{{.*}}] : f32
// CHECK-NEXT:        %p = arith.mulf %a, %s_1 : f32
// CHECK-NEXT:        %g_1 = te.read %C.pre_1[%{{.*}}] : f32
te.func @two(%A: tensor<8x8xf32>, %B: tensor<8xf32>) -> (tensor<8x8xf32>) {
  %C = te.compute "C" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, (%j + 1) mod 8] : f32
    %b = te.read %B[%j] : f32
    %s = math.sin %b : f32
    %p = arith.mulf %a, %s : f32
    %f = arith.index_cast %j : index to i32
    %g = arith.sitofp %f : i32 to f32
    %q = arith.addf %p, %g : f32
    te.yield %q : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @once on @two {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %ii = schedule.split %i factor 4
  %E = schedule.precompute %C, %j
  %e = schedule.axes 1 of %E
  schedule.vectorize %e
}

// -----

// A choice is a part as a whole; what one of its branches alone needs is none. An axis that begins
// behind 0 has elements from 0 on, of which those in front are not computed.
// CHECK-LABEL: te.func @choice
// CHECK-NEXT:    %C.pre = schedule.stage "C.pre" (%k = 8) : tensor<8xf32> {
// CHECK:             %c = scf.if
// CHECK:             te.yield %c : f32
// CHECK:         %C = schedule.stage "C" (%i = 8) reduce (%k_{{[0-9]}} = 1 to 8) : tensor<8xf32> {
// CHECK:             %c_1 = te.read %C.pre[
// CHECK:             scf.if %far -> (f32) {
// CHECK:               math.exp
te.func @choice(%A: tensor<8xf32>, %B: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 1 to 8) : tensor<8xf32> {
    %zero = arith.constant 0.0 : f32
    %four = arith.constant 4 : index
    %a = te.read %A[%k] : f32
    %is = arith.cmpf ogt, %a, %zero : f32
    %c = scf.if %is -> (f32) {
      %e = math.exp %a : f32
      scf.yield %e : f32
    } else {
      scf.yield %zero : f32
    }
    %far = arith.cmpi sgt, %i, %four : index
    %d = scf.if %far -> (f32) {
      %b = te.read %B[%k] : f32
      %e = math.exp %b : f32
      scf.yield %e : f32
    } else {
      scf.yield %zero : f32
    }
    %q = arith.addf %c, %d : f32
    te.yield %q : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @once on @choice {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  %E = schedule.precompute %C, %k
}
