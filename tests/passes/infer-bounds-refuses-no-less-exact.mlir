// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{budget=10}' | filecheck %s
// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{mode=box}' | filecheck %s
// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{mode=hull}' | filecheck %s --check-prefix=HULL

// An approximation refuses no program. What a stage computes follows from what its readers
// compute: so these are computed exactly, too, where a box around them would need a read outside.

// A box around what the last step computes holds time 0, of which it needs the step before, and
// so the state before time 0.
te.func @two_steps(%X: tensor<6xf32>) -> (tensor<6xf32>) {
  %S = schedule.stage "S" (%t = 6) : tensor<6xf32> {
    schedule.order %t
    %s = schedule.state 0 : tensor<6xf32>
    %u0 = schedule.stage "u0" at %t (%u = 6) : tensor<6xf32> {
      schedule.order %u
      schedule.equation (%u_1) {
        %a = te.read %s[%u_1 - 1] : f32
        te.yield %a : f32
      }
    }
    %u1 = schedule.stage "u1" at %t (%u_2 = 6) : tensor<6xf32> {
      schedule.order %u_2
      schedule.equation (%u_3) {
        %a = te.read %u0[%u_3] : f32
        %x = te.read %X[%u_3] : f32
        %b = arith.addf %a, %x : f32
        te.yield %b : f32
      }
    }
    schedule.equation (%t_1) {
      %0 = arith.constant 1 : index
      %1 = arith.cmpi slt, %t_1, %0 : index
      %2 = scf.if %1 -> (f32) {
        %3 = te.read %X[%t_1] : f32
        scf.yield %3 : f32
      } else {
        %4 = te.read %u1[%t_1] : f32
        scf.yield %4 : f32
      }
      te.yield %2 : f32
    }
  }
  te.return %S : tensor<6xf32>
}

// CHECK-LABEL: te.func @two_steps
// CHECK:         schedule.stage "u0" at %t
// CHECK:           schedule.region [%t : 1]
// CHECK:           schedule.guard (%t - 1 >= 0)
// CHECK:         schedule.stage "u1" at %t
// CHECK:           schedule.region [%t : 1]
// CHECK:           schedule.guard (%t - 1 >= 0)

// -----

// A box around the corners 0, 0 and 4, 4 of T needs nine elements of P, where the corners
// need one: as many as there are threads.
te.func @threads(%A: tensor<9xf32>) -> (tensor<2xf32>) {
  %P = schedule.stage "P" (%e = 9) : tensor<9xf32> {
    schedule.extent %e = 1
    schedule.order %e threadIdx.x
    schedule.equation (%e_1) {
      %a = te.read %A[%e_1] : f32
      te.yield %a : f32
    }
  }
  %T = schedule.stage "T" (%i = 5, %j = 5) : tensor<5x5xf32> {
    schedule.order %i, %j
    schedule.equation (%i_1, %j_1) {
      %p = te.read %P[%i_1 - %j_1 + 4] : f32
      te.yield %p : f32
    }
  }
  %C = schedule.stage "C" (%x = 2) : tensor<2xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %t = te.read %T[%x_1 * 4, %x_1 * 4] : f32
      te.yield %t : f32
    }
  }
  te.return %C : tensor<2xf32>
}

// CHECK-LABEL: te.func @threads
// CHECK:         schedule.stage "P"
// CHECK:           schedule.region [4 : 1]
// CHECK:         schedule.stage "T"
// CHECK:           schedule.region [0 : 5, 0 : 5]
// HULL-LABEL: te.func @threads
// HULL:         schedule.stage "T"
// HULL:           schedule.region hull [0 : 5, 0 : 5]

// -----

// Two readers need rows that are 6 apart: a hull around them needs those between, and with
// them a window of other rows of P at the same time.
te.func @folded(%A: tensor<18xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%x = 8) : tensor<8xf32> {
    schedule.order %x
    %P = schedule.stage "P" at %x stored at root folded axis 0 factor 3 (%e = 18) : tensor<18xf32> {
      schedule.order %e
      schedule.equation (%e_1) {
        %a = te.read %A[%e_1] : f32
        te.yield %a : f32
      }
    }
    %T = schedule.stage "T" at %x (%i = 18) : tensor<18xf32> {
      schedule.order %i
      schedule.equation (%i_1) {
        %p = te.read %P[%i_1] : f32
        te.yield %p : f32
      }
    }
    schedule.equation (%x_1) {
      %t = te.read %T[%x_1] : f32
      %u = te.read %T[%x_1 + 10] : f32
      %v = arith.addf %t, %u : f32
      te.yield %v : f32
    }
  }
  te.return %C : tensor<8xf32>
}

// CHECK-LABEL: te.func @folded
// CHECK:         schedule.stage "P" at %x stored at root folded axis 0 factor 3 (
// CHECK:           schedule.region [0 : 18]
