// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// An axis that a later command consumes: its iterations would be others.
// CHECK: error: apply-schedule: cannot prefetch B at axis x of "C": axis x was consumed by split; use xo, xi; legal axes: xo, xi
te.func @consumed(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @consumed {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  schedule.prefetch %C, %B at %x offset 1
  %xo, %xi = schedule.split %x factor 8
}

// -----

// Parallel iterations are in no order, so none of them is ahead.
// CHECK: error: apply-schedule: cannot prefetch B at axis xo of "C": it is parallel, so its iterations do not run one after another; legal axes: xi
te.func @parallel(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @parallel {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  %xo, %xi = schedule.split %x factor 8
  schedule.parallel %xo
  schedule.prefetch %C, %B at %xo offset 1
}

// -----

// Neither are lanes, or what is in them.
// CHECK: error: apply-schedule: cannot prefetch A at axis k of "C": it is inside i, which is vectorized; legal axes: none
te.func @lanes(%n: index, %A: tensor<?x100xf32>[%n, 100], %x: tensor<100xf32>) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n) reduce (%k = 100) : tensor<?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %x[%k] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @lanes {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  schedule.vectorize %i
  schedule.prefetch %C, argument 0 at %k offset 1
}

// -----

// The axis of another stage.
// CHECK: error: apply-schedule: cannot prefetch at axis i of "C": the axis belongs to "B"
te.func @elsewhere(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @elsewhere {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  schedule.prefetch %C, %B at %i offset 1
}

// -----

// CHECK: error: apply-schedule: cannot prefetch A at axis x of "C": nothing in that loop reads it; legal axes: none
te.func @unread(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @unread {
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  schedule.prefetch %C, argument 0 at %x offset 1
}

// -----

// Each iteration computes its own part of B, so there is none of a later one.
// CHECK: error: apply-schedule: cannot prefetch B at axis xo of "C": it is stored inside that loop, so the iteration ahead has none of it yet; legal axes: xi
te.func @stored_inside(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @stored_inside {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  %xo, %xi = schedule.split %x factor 8
  schedule.compute_at %B, %C, %xo
  schedule.prefetch %C, %B at %xo offset 1
}

// -----

// CHECK: error: apply-schedule: cannot inline "B": "C" prefetches it
te.func @inlined(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @inlined {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  schedule.prefetch %C, %B at %x offset 1
  schedule.compute_inline %B
}

// -----

// CHECK: error: apply-schedule: prefetch of argument 2: the function has tensor arguments 0..1
te.func @no_such_argument(%n: index, %A: tensor<?x100xf32>[%n, 100], %x: tensor<100xf32>) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n) reduce (%k = 100) : tensor<?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %x[%k] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @no_such_argument {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  schedule.prefetch %C, argument 2 at %k offset 1
}

// -----

// CHECK: error: apply-schedule: prefetch of result 1 of stage "B", which has result 0..0
te.func @no_such_result(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @no_such_result {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  schedule.prefetch %C, %B result 1 at %x offset 1
}

// -----

// The loops that prefetch would be those of the copy, or of both.
// CHECK: error: apply-schedule: cannot compute "C" in "local" first: it prefetches in its loops; cache_write comes before all commands on the axes of its stage
te.func @cached(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @cached {
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  schedule.prefetch %C, argument 0 at %x offset 1
  %CL = schedule.cache_write %C "local"
}

// -----

// CHECK: error: apply-schedule: cannot prefetch A at axis i of "B": axis i was consumed by split; use io, ii; legal axes: jo, io, ji, ii
te.func @tiled(%A: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %B = te.compute "B" (%i = 16, %j = 16) : tensor<16x16xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<16x16xf32>
}
schedule.sequence @s on @tiled {
  %B = schedule.get "B"
  %i, %j = schedule.axes 2 of %B
  schedule.prefetch %B, argument 0 at %i offset 1
  %jo, %io, %ji, %ii = schedule.tile %j, %i by 3, 16
}
