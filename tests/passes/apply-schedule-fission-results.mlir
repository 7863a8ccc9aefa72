// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// Each of three results is computed in a stage of its own. The first one keeps the name, the
// handles and the split of the old stage; the others begin anew.
// CHECK-LABEL: te.func @tuple
te.func @tuple(%A: tensor<8xf32>, %B: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %T, %U, %V = te.compute "T" (%i = 8) : tensor<8xf32>, tensor<8xf32>, tensor<8xi32> {
    %a = te.read %A[%i] : f32
    %b = te.read %B[%i] : f32
    %s = arith.addf %a, %b : f32
    %k = arith.fptosi %b : f32 to i32
    te.yield %a, %s, %k : f32, f32, i32
  }
  %D = te.compute "D" (%x = 8) : tensor<8xf32> {
    %t = te.read %T[%x] : f32
    %v = te.read %V[%x] : i32
    %w = arith.sitofp %v : i32 to f32
    %s = arith.addf %t, %w : f32
    te.yield %s : f32
  }
  te.return %D, %U : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @tuple {
  %T = schedule.get "T"
  %i = schedule.axes 1 of %T
  %io, %ii = schedule.split %i factor 2
  %T2, %T1 = schedule.fission_results %T result 2, 1
  schedule.unroll %ii
  %i1 = schedule.axes 1 of %T1
  schedule.vectorize %i1
  %D = schedule.get "D"
  %x = schedule.axes 1 of %D
  schedule.compute_at %T2, %D, %x
}
// CHECK-NEXT:    %U = schedule.stage "T.v1" (%i = 8) : tensor<8xf32> {
// CHECK-NEXT:      schedule.order %i vectorized
// CHECK-NEXT:      schedule.equation (%i_1) {
// CHECK-NEXT:        %a = te.read %A[%i_1] : f32
// CHECK-NEXT:        %b = te.read %B[%i_1] : f32
// CHECK-NEXT:        %s = arith.addf %a, %b : f32
// CHECK-NEXT:        te.yield %s : f32
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %T = schedule.stage "T" (%i_2 = 8) : tensor<8xf32> {
// CHECK-NEXT:      %io, %ii = schedule.split %i_2 factor 2
// CHECK-NEXT:      schedule.order %io, %ii unrolled
// CHECK-NEXT:      schedule.equation (%i_3) {
// CHECK-NEXT:        [[A:%.*]] = te.read %A[%i_3] : f32
// CHECK-NEXT:        te.yield [[A]] : f32
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %D = schedule.stage "D"
// CHECK-NEXT:      schedule.order %x
// CHECK-NEXT:      %V = schedule.stage "T.v2" at %x (%i_4 = 8) : tensor<8xi32> {
// CHECK:             arith.fptosi
// CHECK-NEXT:        te.yield %k : i32
// CHECK:           te.read %T[
// CHECK-NEXT:      te.read %V[
// CHECK:         te.return %D, %U

// -----

// Of a reduction, each stage has its components of the combiner, of the identity and of the init.
// The greatest element and its place need each other and stay together.
// CHECK-LABEL: te.func @reduction
te.func @reduction(%A: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xi32>) {
  %M, %S, %P = te.compute "T" (%i = 8) reduce (%k = 4) : tensor<8xf32>, tensor<8xf32>, tensor<8xi32> {
    %a = te.read %A[%i, %k] : f32
    %q = arith.mulf %a, %a : f32
    %p = arith.index_cast %k : index to i32
    te.yield %a, %q, %p : f32, f32, i32
  } combine (%m: f32, %s: f32, %p: i32, %n: f32, %t: f32, %q: i32) identity [0xff800000 : f32, 0.0 : f32, -1 : i32] {
    %c = arith.cmpf ogt, %n, %m : f32
    %best = arith.select %c, %n, %m : f32
    %place = arith.select %c, %q, %p : i32
    %sum = arith.addf %s, %t : f32
    te.yield %best, %sum, %place : f32, f32, i32
  } init (%j) {
    %f = te.read %A[%j, 0] : f32
    %g = te.read %A[%j, 1] : f32
    %z = arith.constant 0 : i32
    te.yield %f, %g, %z : f32, f32, i32
  }
  te.return %M, %S, %P : tensor<8xf32>, tensor<8xf32>, tensor<8xi32>
}
schedule.sequence @s on @reduction {
  %T = schedule.get "T"
  %i, %k = schedule.axes 2 of %T
  %S = schedule.fission_results %T result 1
  schedule.reorder %k, %i
}
// CHECK-NEXT:    %S = schedule.stage "T.v1" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
// CHECK-NEXT:      schedule.order %i, %k
// CHECK:             te.yield %q : f32
// CHECK-NEXT:      } combine (%s: f32, %t: f32) identity [0.000000e+00 : f32] {
// CHECK-NEXT:        %sum = arith.addf %s, %t : f32
// CHECK-NEXT:        te.yield %sum : f32
// CHECK-NEXT:      } init (%j) {
// CHECK-NEXT:        %g = te.read %A[%j, 1] : f32
// CHECK-NEXT:        te.yield %g : f32
// CHECK:         %M, %P = schedule.stage "T" (%i_2 = 8) reduce (%k_2 = 4) : tensor<8xf32>, tensor<8xi32> {
// CHECK-NEXT:      schedule.order %k_2, %i_2
// CHECK:           } combine (%m: f32, %p_1: i32, %n: f32, %q_1: i32) identity [0xff800000 : f32, -1 : i32] {
// CHECK-NOT:         arith.addf
// CHECK:           te.return %M, %S, %P

// -----

// An update of two tensors: each is changed at the points of the domain by the writes to it.
// CHECK-LABEL: te.func @update
te.func @update(%A: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %S, %T = te.update "U" (%i = 9) reduce (%r = 1 to 9) state %s, %t : tensor<9xf32>, tensor<9xf32> {
    %a = te.read %A[%r] : f32
    %b = te.read %s[%r - 1] : f32
    %c = te.read %t[%r - 1] : f32
    %d = arith.addf %a, %b : f32
    %e = arith.mulf %a, %c : f32
    %o = arith.cmpf ogt, %c, %a : f32
    te.write %d, %s[%r] : f32
    scf.if %o {
      te.write %e, %t[%r] : f32
    }
  } init {
    %a = te.read %A[%i] : f32
    %z = arith.constant 1.0 : f32
    te.yield %a, %z : f32, f32
  }
  te.return %S, %T : tensor<9xf32>, tensor<9xf32>
}
schedule.sequence @s on @update {
  %U = schedule.get "U"
  %T = schedule.fission_results %U result 1
}
// CHECK-NEXT:    %T = schedule.stage "U.v1" (%i = 9) reduce (%r = 1 to 9) : tensor<9xf32> {
// CHECK-NEXT:      schedule.order %i, %r
// CHECK-NEXT:      schedule.update (%r_1) state %t : tensor<9xf32> {
// CHECK-NEXT:        %a = te.read %A[%r_1] : f32
// CHECK-NEXT:        %c = te.read %t[%r_1 - 1] : f32
// CHECK-NEXT:        %e = arith.mulf %a, %c : f32
// CHECK-NEXT:        %o = arith.cmpf ogt, %c, %a : f32
// CHECK-NEXT:        scf.if %o {
// CHECK-NEXT:          te.write %e, %t[%r_1] : f32
// CHECK-NEXT:        }
// CHECK-NEXT:      } init (%i_1) {
// CHECK-NEXT:        %z = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:        te.yield %z : f32
// CHECK:         %S = schedule.stage "U" (%i_2 = 9) reduce (%r_2 = 1 to 9) : tensor<9xf32> {
// CHECK:             %b = te.read %s[%r_3 - 1] : f32
// CHECK-NEXT:        %d = arith.addf
// CHECK-NEXT:        te.write %d, %s[%r_3] : f32
// CHECK-NEXT:      } init

// -----

// Of a factored reduction, a partial result that a tail does not have is a choice of both values:
// each stage chooses its own.
// CHECK-LABEL: te.func @partial
te.func @partial(%A: tensor<5xf32>, %B: tensor<5xf32>) -> (tensor<f32>, tensor<f32>) {
  %S, %P = te.compute "T" () reduce (%k = 5) : tensor<f32>, tensor<f32> {
    %a = te.read %A[%k] : f32
    %b = te.read %B[%k] : f32
    te.yield %a, %b : f32, f32
  } combine (%s: f32, %p: f32, %t: f32, %q: f32) identity [0.0 : f32, 1.0 : f32] {
    %u = arith.addf %s, %t : f32
    %r = arith.mulf %p, %q : f32
    te.yield %u, %r : f32, f32
  }
  te.return %S, %P : tensor<f32>, tensor<f32>
}
schedule.sequence @s on @partial {
  %T = schedule.get "T"
  %k = schedule.axes 1 of %T
  %ko, %ki = schedule.split %k factor 2
  %F, %v = schedule.rfactor %T, %ki at 0
  %P = schedule.fission_results %F result 1
  %Q = schedule.fission_results %T result 1
}
// CHECK-NEXT:    %P.rf = schedule.stage "T.rf.v1"
// CHECK-NOT:       %A
// CHECK:           scf.if %{{.*}} -> (f32) {
// CHECK-NEXT:        %b = te.read %B[
// CHECK-NEXT:        scf.yield %b : f32
// CHECK:             arith.constant 1.000000e+00
// CHECK-NEXT:        scf.yield
// CHECK:         %S.rf = schedule.stage "T.rf"
// CHECK-NOT:       %B
// CHECK:         %P = schedule.stage "T.v1" reassociated by "rfactor" () reduce (%{{.*}} = 2) : tensor<f32> {
// CHECK:           te.read %P.rf[
// CHECK:         %S = schedule.stage "T" reassociated by "rfactor"
// CHECK:           te.read %S.rf[

// -----

// The function returns the result of a stage in a loop by name, which is that of the new stage.
// CHECK-LABEL: te.func @named
te.func @named(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %C = schedule.stage "C" (%x = 8) : tensor<8xf32> {
    schedule.order %x
    %T, %U = schedule.stage "T" at %x stored at root (%i = 8) : tensor<8xf32>, tensor<8xf32> {
      schedule.order %i
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        %b = arith.negf %a : f32
        te.yield %a, %b : f32, f32
      }
    }
    schedule.equation (%q) {
      %t = te.read %U[%q] : f32
      te.yield %t : f32
    }
  }
  %T = schedule.result "T" 0 : tensor<8xf32>
  %U = schedule.result "T" 1 : tensor<8xf32>
  te.return %T, %U, %C : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @named {
  %T = schedule.get "T"
  %T0 = schedule.fission_results %T result 0
}
// CHECK-NEXT:    %U = schedule.result "T" 0
// CHECK-NEXT:    %T = schedule.stage "T.v0" (
// CHECK:         %C = schedule.stage "C"
// CHECK:           schedule.stage "T" at %x stored at root
// CHECK:         te.return %T, %U, %C
