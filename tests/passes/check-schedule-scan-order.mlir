// RUN: not teloom-opt %s -p 'apply-schedule,infer-bounds,check-schedule,build-loops' --split-input-file 2>&1 | filecheck %s

// Points of a wave do not depend on each other: each reads what two waves before, or one, have
// computed. So threads may run them, and each wave is computed before it is copied to the result.
// CHECK-LABEL: func.func @waves
// CHECK:       loop.for %w = 0 to 20 {
// CHECK:         loop.for %u = {{.*}} {
// CHECK:           loop.store %new, %next[%u, %w - %u * 2] : f32
// CHECK:         loop.for %t = {{.*}} parallel {
// CHECK:           loop.store {{.*}}, %S_1[%t, %w - %t * 2] : f32
te.func @waves(%X: tensor<8xf32>) -> (tensor<7x8xf32>) {
  %first = te.compute "first" (%t = 1, %i = 8) : tensor<1x8xf32> {
    %x = te.read %X[%i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = 7, %i = 8) init %first until 1 state %s : tensor<7x8xf32> {
    %next = te.compute "next" (%u = 7, %j = 8) : tensor<7x8xf32> {
      %zero = arith.constant 0 : index
      %seven = arith.constant 7 : index
      %before = affine.apply affine_map<(d0) -> (d0 - 1)> (%j)
      %behind = affine.apply affine_map<(d0) -> (d0 + 1)> (%j)
      %left = arith.maxsi %before, %zero : index
      %right = arith.minsi %behind, %seven : index
      %x = te.read %s[%u - 1, %left] : f32
      %y = te.read %s[%u - 1, %right] : f32
      %new = arith.addf %x, %y : f32
      te.yield %new : f32
    }
    te.yield %next : tensor<7x8xf32>
  }
  te.return %S : tensor<7x8xf32>
}
schedule.sequence @s on @waves {
  %S = schedule.get "S"
  %next = schedule.get "next"
  %t, %i = schedule.axes 2 of %S
  %w = schedule.skew %i along %t factor 2
  schedule.reorder %w, %t
  schedule.parallel %t
  schedule.compute_at %next, %S, %w
}

// -----

// A column needs its neighbours at the time before.
// CHECK: check-schedule: stage "next" at [1, 0] reads S[0, 1], at (i = 0, t = 1); the equations compute S[0, 1] before, the schedule at (i = 1, t = 0), which is later; next[1, 0] is read by S[1, 0]
te.func @columns(%X: tensor<9xf32>) -> (tensor<7x9xf32>) {
  %first = te.compute "first" (%t = 1, %i = 9) : tensor<1x9xf32> {
    %x = te.read %X[%i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = 7, %i = 9) init %first until 1 state %s : tensor<7x9xf32> {
    %next = te.compute "next" (%u = 7, %j = 9) : tensor<7x9xf32> {
      %x = te.read %s[%u - 1, (%j + 1) mod 9] : f32
      te.yield %x : f32
    }
    te.yield %next : tensor<7x9xf32>
  }
  te.return %S : tensor<7x9xf32>
}
schedule.sequence @s on @columns {
  %S = schedule.get "S"
  %t, %i = schedule.axes 2 of %S
  schedule.reorder %i, %t
}

// -----

// Threads do not run times one after another.
// CHECK: check-schedule: stage "next" at [1, 0] reads S[0, 0], at (t = 1); the equations compute S[0, 0] before, the schedule at (t = 0, i = 0), and iterations of t, which is parallel, have no order
te.func @sums(%X: tensor<9xf32>) -> (tensor<7x9xf32>) {
  %first = te.compute "first" (%t = 1, %i = 9) : tensor<1x9xf32> {
    %x = te.read %X[%i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = 7, %i = 9) init %first until 1 state %s : tensor<7x9xf32> {
    %next = te.compute "next" (%u = 7, %j = 9) : tensor<7x9xf32> {
      %x = te.read %s[%u - 1, %j] : f32
      te.yield %x : f32
    }
    te.yield %next : tensor<7x9xf32>
  }
  te.return %S : tensor<7x9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %t, %i = schedule.axes 2 of %S
  schedule.parallel %t
}

// -----

// Of a fused axis of symbolic extents it is not known which times come first.
// CHECK: check-schedule: it is not proved that stage "next" finds what "S" writes: an extent of a fused or split axis of "S" is symbolic; known is the order in which the loops of time, t, are outermost
te.func @fused(%m: index, %n: index, %X: tensor<?xf32>[%n]) -> (tensor<?x?xf32>) {
  %first = te.compute "first" (%t = 1, %i = %n) : tensor<1x?xf32> {
    %x = te.read %X[%i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = %n) init %first until 1 state %s : tensor<?x?xf32> {
    %next = te.compute "next" (%u = %m, %j = %n) : tensor<?x?xf32> {
      %x = te.read %s[%u - 1, %j] : f32
      te.yield %x : f32
    }
    te.yield %next : tensor<?x?xf32>
  }
  te.return %S : tensor<?x?xf32>
}
schedule.sequence @s on @fused {
  %S = schedule.get "S"
  %t, %i = schedule.axes 2 of %S
  %f = schedule.fuse %t, %i
}
