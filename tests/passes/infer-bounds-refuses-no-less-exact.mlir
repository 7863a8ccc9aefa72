// RUN: teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds{budget=10}' | filecheck %s
// RUN: teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds{mode=box}' | filecheck %s
// RUN: teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds{mode=hull}' | filecheck %s --check-prefix=HULL

// An approximation refuses no program. What a stage computes follows from what its readers
// compute: so these are computed exactly, too, where a box around them would need a read outside.

// A box around what the last step computes holds time 0, of which it needs the step before, and
// so the state before time 0.
te.func @two_steps(%X: tensor<6xf32>) -> (tensor<6xf32>) {
  %S = te.scan "S" (%t = 6) init %X until 1 state %s : tensor<6xf32> {
    %u0 = te.compute "u0" (%u = 6) : tensor<6xf32> {
      %a = te.read %s[%u - 1] : f32
      te.yield %a : f32
    }
    %u1 = te.compute "u1" (%u = 6) : tensor<6xf32> {
      %a = te.read %u0[%u] : f32
      %x = te.read %X[%u] : f32
      %b = arith.addf %a, %x : f32
      te.yield %b : f32
    }
    te.yield %u1 : tensor<6xf32>
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
  %P = te.compute "P" (%e = 9) : tensor<9xf32> {
    %a = te.read %A[%e] : f32
    te.yield %a : f32
  }
  %T = te.compute "T" (%i = 5, %j = 5) : tensor<5x5xf32> {
    %p = te.read %P[%i - %j + 4] : f32
    te.yield %p : f32
  }
  %C = te.compute "C" (%x = 2) : tensor<2xf32> {
    %t = te.read %T[%x * 4, %x * 4] : f32
    te.yield %t : f32
  }
  te.return %C : tensor<2xf32>
}
schedule.sequence @s on @threads {
  %P = schedule.get "P"
  %e = schedule.axes 1 of %P
  schedule.bind %e "threadIdx.x" extent 1
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
  %P = te.compute "P" (%e = 18) : tensor<18xf32> {
    %a = te.read %A[%e] : f32
    te.yield %a : f32
  }
  %T = te.compute "T" (%i = 18) : tensor<18xf32> {
    %p = te.read %P[%i] : f32
    te.yield %p : f32
  }
  %C = te.compute "C" (%x = 8) : tensor<8xf32> {
    %t = te.read %T[%x] : f32
    %u = te.read %T[%x + 10] : f32
    %v = arith.addf %t, %u : f32
    te.yield %v : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @folded {
  %P = schedule.get "P"
  %T = schedule.get "T"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  schedule.compute_at %T, %C, %x
  schedule.compute_at %P, %C, %x
  schedule.store_root %P
  %e = schedule.axes 1 of %P
  schedule.fold_storage %e factor 3
}

// CHECK-LABEL: te.func @folded
// CHECK:         schedule.stage "P" at %x stored at root folded axis 0 factor 3 (
// CHECK:           schedule.region [0 : 18]
