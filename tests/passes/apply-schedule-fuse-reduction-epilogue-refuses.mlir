// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// Another op than that of the combiner.
// CHECK: error: apply-schedule: cannot fuse "D" into the reduction "C": it does not combine an element at its own point with a value that does not depend on others, by the combiner of the reduction; computed in its loops, the reduction is complete before it runs: legal places: the root, D.p
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%p = 8) : tensor<8xf32> {
    %c = te.read %C[%p] : f32
    %z = arith.constant 0.0 : f32
    %d = arith.maximumf %c, %z : f32
    te.yield %d : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  schedule.fuse_reduction_epilogue %C, %D
}

// -----

// The element of another point.
// CHECK: error: apply-schedule: cannot fuse "D" into the reduction "C": it does not combine an element at its own point with a value that does not depend on others, by the combiner of the reduction; computed in its loops, the reduction is complete before it runs: legal places: the root, D.p
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%p = 8) : tensor<8xf32> {
    %c = te.read %C[7 - %p] : f32
    %v = te.read %b[%p] : f32
    %d = arith.addf %v, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  schedule.fuse_reduction_epilogue %C, %D
}

// -----

// A value that depends on the reduction.
// CHECK: error: apply-schedule: cannot fuse "D" into the reduction "C": it does not combine an element at its own point with a value that does not depend on others, by the combiner of the reduction; computed in its loops, the reduction is complete before it runs: legal places: the root, D.p
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%p = 8) : tensor<8xf32> {
    %c = te.read %C[%p] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  schedule.fuse_reduction_epilogue %C, %D
}

// -----

// Another reader wants the sum alone.
// CHECK: error: apply-schedule: cannot fuse "D" into the reduction "C": "E" reads "C", too
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%p = 8) : tensor<8xf32> {
    %c = te.read %C[%p] : f32
    %v = te.read %b[%p] : f32
    %w = arith.mulf %v, %v : f32
    %d = arith.addf %w, %c : f32
    te.yield %d : f32
  }
  %E = te.compute "E" (%q = 8) : tensor<8xf32> {
    %d = te.read %C[%q] : f32
    te.yield %d : f32
  }
  te.return %D, %E : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  schedule.fuse_reduction_epilogue %C, %D
}

// -----

// So does the caller.
// CHECK: error: apply-schedule: cannot fuse "D" into the reduction "C": "C" is an output, too
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%p = 8) : tensor<8xf32> {
    %c = te.read %C[%p] : f32
    %v = te.read %b[%p] : f32
    %w = arith.mulf %v, %v : f32
    %d = arith.addf %w, %c : f32
    te.yield %d : f32
  }
  te.return %D, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  schedule.fuse_reduction_epilogue %C, %D
}

// -----

// The loops of D would be lost.
// CHECK: error: apply-schedule: cannot fuse "D" into the reduction "C": its loops are not those of its equation any more, and would be lost
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%p = 8) : tensor<8xf32> {
    %c = te.read %C[%p] : f32
    %v = te.read %b[%p] : f32
    %w = arith.mulf %v, %v : f32
    %d = arith.addf %w, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  %po, %pi = schedule.split %p factor 2
  schedule.fuse_reduction_epilogue %C, %D
}

// -----

// So would the place of what is computed in them.
// CHECK: error: apply-schedule: cannot fuse "D" into the reduction "C": what is computed or prefetched in its loops would lose its place
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%p = 8) : tensor<8xf32> {
    %c = te.read %C[%p] : f32
    %v = te.read %b[%p] : f32
    %w = arith.mulf %v, %v : f32
    %d = arith.addf %w, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  schedule.compute_at %C, %D, %p
  schedule.fuse_reduction_epilogue %C, %D
}

// -----

// Not all elements are wanted.
// CHECK: error: apply-schedule: cannot fuse "D" into the reduction "C": its shape is another
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<7xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%p = 7) : tensor<7xf32> {
    %c = te.read %C[%p] : f32
    %v = te.read %b[%p] : f32
    %w = arith.mulf %v, %v : f32
    %d = arith.addf %w, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<7xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  schedule.fuse_reduction_epilogue %C, %D
}

// -----

// D is no reduction.
// CHECK: error: apply-schedule: cannot fuse "C" into the reduction "D": that is no reduction
te.func @f(%A: tensor<8x4xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%p = 8) : tensor<8xf32> {
    %c = te.read %C[%p] : f32
    %v = te.read %b[%p] : f32
    %w = arith.mulf %v, %v : f32
    %d = arith.addf %w, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %k = schedule.axes 2 of %C
  %p = schedule.axes 1 of %D
  schedule.fuse_reduction_epilogue %D, %C
}
