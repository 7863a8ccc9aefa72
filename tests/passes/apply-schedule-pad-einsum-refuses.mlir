// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// An output has the extents of the caller's array.
// CHECK: error: apply-schedule: cannot pad axis k of "C": it is an output, of which the caller knows the extents; pad a cache that it copies
te.func @f(%A: tensor<4x7xf32>, %X: tensor<7xf32>) -> (tensor<4xf32>) {
  %C = te.compute "C" (%i = 4) reduce (%k = 7) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = te.read %X[%k] : f32
    %m = arith.mulf %a, %x : f32
    te.yield %m : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  schedule.pad_einsum %k by 8
}

// -----

// No copy of it ends elsewhere.
// CHECK: error: apply-schedule: cannot pad axis k of "C.local": "A", which is read along it, is an argument; read a cache of it
te.func @f(%A: tensor<4x7xf32>, %X: tensor<7xf32>) -> (tensor<4xf32>) {
  %C = te.compute "C" (%i = 4) reduce (%k = 7) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = te.read %X[%k] : f32
    %m = arith.mulf %a, %x : f32
    te.yield %m : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %P = schedule.cache_write %C "local"
  %i, %k = schedule.axes 2 of %P
  schedule.pad_einsum %k by 8
}

// -----

// A maximum of zeros and negative numbers is another one.
// CHECK: error: apply-schedule: cannot pad axis k of "C.local": it is no sum of products
te.func @f(%A: tensor<4x7xf32>, %X: tensor<7xf32>) -> (tensor<4xf32>) {
  %C = te.compute "C" (%i = 4) reduce (%k = 7) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = te.read %X[%k] : f32
    %m = arith.mulf %a, %x : f32
    te.yield %m : f32
  } combine (%p: f32, %q: f32) identity [-1.0e30 : f32] {
    %s = arith.maximumf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %P = schedule.cache_write %C "local"
  %AP = schedule.cache_read argument 0 "local" readers %P
  %XP = schedule.cache_read argument 1 "local" readers %P
  %i, %k = schedule.axes 2 of %P
  schedule.pad_einsum %k by 8
}

// -----

// The exponential of zero is one.
// CHECK: error: apply-schedule: cannot pad axis k of "C.local": it is no sum of products of elements
te.func @f(%A: tensor<4x7xf32>, %X: tensor<7xf32>) -> (tensor<4xf32>) {
  %C = te.compute "C" (%i = 4) reduce (%k = 7) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = te.read %X[%k] : f32
    %e = math.exp %a : f32
    %m = arith.mulf %e, %x : f32
    te.yield %m : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %P = schedule.cache_write %C "local"
  %AP = schedule.cache_read argument 0 "local" readers %P
  %XP = schedule.cache_read argument 1 "local" readers %P
  %i, %k = schedule.axes 2 of %P
  schedule.pad_einsum %k by 8
}

// -----

// A window.
// CHECK: error: apply-schedule: cannot pad axis k of "C.local": "A.local" is not read at the axis as it is
te.func @f(%A: tensor<4x8xf32>, %X: tensor<7xf32>) -> (tensor<4xf32>) {
  %C = te.compute "C" (%i = 4) reduce (%k = 7) : tensor<4xf32> {
    %a = te.read %A[%i, %k + 1] : f32
    %x = te.read %X[%k] : f32
    %m = arith.mulf %a, %x : f32
    te.yield %m : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %P = schedule.cache_write %C "local"
  %AP = schedule.cache_read argument 0 "local" readers %P
  %XP = schedule.cache_read argument 1 "local" readers %P
  %i, %k = schedule.axes 2 of %P
  schedule.pad_einsum %k by 8
}

// -----

// One factor is not zero beyond.
// CHECK: error: apply-schedule: cannot pad axis k of "C.local": "X.local" is not read along it, and zero times an infinity is not zero
te.func @f(%A: tensor<4x7xf32>, %X: tensor<4xf32>) -> (tensor<4xf32>) {
  %C = te.compute "C" (%i = 4) reduce (%k = 7) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = te.read %X[%i] : f32
    %m = arith.mulf %a, %x : f32
    te.yield %m : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %P = schedule.cache_write %C "local"
  %AP = schedule.cache_read argument 0 "local" readers %P
  %XP = schedule.cache_read argument 1 "local" readers %P
  %i, %k = schedule.axes 2 of %P
  schedule.pad_einsum %k by 8
}

// -----

// It is longer than the axis.
// CHECK: error: apply-schedule: cannot pad axis k of "C.local": "A.local", which is read along it, has another extent there
te.func @f(%A: tensor<4x9xf32>, %X: tensor<7xf32>) -> (tensor<4xf32>) {
  %C = te.compute "C" (%i = 4) reduce (%k = 7) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = te.read %X[%k] : f32
    %m = arith.mulf %a, %x : f32
    te.yield %m : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %P = schedule.cache_write %C "local"
  %AP = schedule.cache_read argument 0 "local" readers %P
  %XP = schedule.cache_read argument 1 "local" readers %P
  %i, %k = schedule.axes 2 of %P
  schedule.pad_einsum %k by 8
}

// -----

// CHECK: error: pad_einsum of axis k by 0: a factor must be at least 1
te.func @f(%A: tensor<4x7xf32>, %X: tensor<7xf32>) -> (tensor<4xf32>) {
  %C = te.compute "C" (%i = 4) reduce (%k = 7) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = te.read %X[%k] : f32
    %m = arith.mulf %a, %x : f32
    te.yield %m : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %P = schedule.cache_write %C "local"
  %i, %k = schedule.axes 2 of %P
  schedule.pad_einsum %k by 0
}
