// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// A later command consumes the axis.
// CHECK: error: apply-schedule: cannot tensorize axis ii of "C": axis ii was consumed by split; use iio, iii; legal axes: io, jo, iio, iii, ji, ko, ki
te.func @consumed(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @consumed {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.tensorize %ii by @gemm
  %iio, %iii = schedule.split %ii factor 2
}

// -----

// Two intrinsics of one stage.
// CHECK: error: apply-schedule: cannot tensorize axis ji of "C": it is tensorized at ii already
te.func @twice(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @twice {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.tensorize %ii by @gemm
  schedule.tensorize %ji by @gemm
}

// -----

// No code knows the partial results of a parallel reduction.
// CHECK: error: apply-schedule: cannot tensorize axis ii of "C": ko, which is around it, is a reduce axis and parallel: the code knows no partial results; legal axes: ko
te.func @parallel(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @parallel {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.reorder %ko, %io, %jo, %ii, %ji, %ki
  schedule.parallel %ko
  schedule.tensorize %ii by @gemm
}

// -----

// A lane of a vector runs no code of its own.
// CHECK: error: apply-schedule: cannot tensorize axis ii of "C": jo, which is around it, is vectorized; legal axes: io, jo
te.func @vectorized(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @vectorized {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.vectorize %jo
  schedule.tensorize %ii by @gemm
}

// -----

// What is computed inside would not run.
// CHECK: error: apply-schedule: cannot tensorize axis ii of "C": "A.local" is computed inside, at ki; legal axes: none
te.func @attached(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @attached {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.tensorize %ii by @gemm
  %AL = schedule.cache_read argument 0 "local" readers %C
  schedule.compute_at %AL, %C, %ki
}

// -----

// The loop that prefetches would not run.
// CHECK: error: apply-schedule: cannot tensorize axis ii of "C": the loop of ki, which is inside, prefetches; legal axes: none
te.func @prefetched(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @prefetched {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.tensorize %ii by @gemm
  schedule.prefetch %C, argument 0 at %ki offset 1
}

// -----

// Its reduce axis goes to the cache.
// CHECK: error: apply-schedule: cannot compute "C" in "local" first: tensorize says more of its loops; cache_write comes before all commands on the axes of its stage
te.func @cached(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @cached {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  schedule.tensorize %k by @gemm
  %CL = schedule.cache_write %C "local"
}

// -----

// The code of an extern is given.
// CHECK: error: apply-schedule: cannot tensorize axis i of "C": it is an extern, whose code is given
te.func @opaque() -> (tensor<4xf32>) {
  %C = te.extern "C" (%i = 4) (%out: tensor<4xf32>) {
    %c = te.buffer %out[%i : 1] : memref<1xf32, strided<[1], offset: ?>>
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @s on @opaque {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.tensorize %i by @gemm
}
