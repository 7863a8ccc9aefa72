// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// What is said of an axis that was consumed is said of no axis of the cache.
// CHECK: error: apply-schedule: cannot compute "C" in "local" first: partition says more of its loops; cache_write comes before all commands on the axes of its stage
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  schedule.never_partition %x
  %xo, %xi = schedule.split %x factor 4
  %CL = schedule.cache_write %C "local"
}

// -----

// The tail of a loop would be lost.
// CHECK: error: apply-schedule: axis xi of stage "C" has tail "predicate", which cache_write would lose; it has to come from a split with tail "guard" or "cut"
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %xo, %xi = schedule.split %x factor 4 tail "predicate"
  %CL = schedule.cache_write %C "local"
}

// -----

// The last axis of a part whose number of iterations is symbolic is no affine function.
// CHECK: error: apply-schedule: cannot lay out a cache of "C": no affine expression of its data axes gives the axes of its loops
te.func @f(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i nparts 3
  %CL = schedule.cache_write %C "local"
}

// -----

// B is read by the equation, which leaves the loop in which B is computed.
// CHECK: error: apply-schedule: cannot compute "C" in "local" first: "B" is computed inside it; cache_write comes before all commands on the axes of its stage
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  schedule.compute_at %B, %C, %x
  %CL = schedule.cache_write %C "local"
}

// -----

// The copy has no reduce axis.
// CHECK: error: apply-schedule: stage "C" has 1 root axes, not 2
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %CL = schedule.cache_write %C "local"
  %u, %v = schedule.axes 2 of %C
}

// -----

// Handles of the reduce axis are the cache's.
// CHECK: error: apply-schedule: reorder names axis k, which is no axis of stage "C" but of "C.local"
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %CL = schedule.cache_write %C "local"
  schedule.reorder %x, %k
}

// -----

// B is read in the cache, which is at the root.
// CHECK: error: apply-schedule: cannot compute "B" at axis x of "C": not every read of it is inside that loop (readers: "C.local"); legal places: the root, C.local.x.c, C.local.k
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %CL = schedule.cache_write %C "local"
  schedule.compute_at %B, %C, %x
}

// -----

// CHECK: error: apply-schedule: stage "B" was inlined before, and has no loops
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  schedule.compute_inline %B
  %BL = schedule.cache_write %B "local"
}

// -----

// CHECK: error: apply-schedule: cache_write wants one stage, not the group of "B", "C"; a group has compute_at and compute_root
te.func @f(%A: tensor<8xf32>, %Z: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C, %T = te.compute "C" (%x = 8) reduce (%k = 8) : tensor<8xf32>, tensor<8xf32> {
    %b = te.read %B[%k] : f32
    te.yield %b, %b : f32, f32
  } combine (%a: f32, %b: f32, %c: f32, %d: f32) identity [0.0 : f32, 0.0 : f32] {
    %s = arith.addf %a, %c : f32
    %t = arith.addf %b, %d : f32
    te.yield %s, %t : f32, f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x, %k = schedule.axes 2 of %C
  %D = schedule.get "D"
  %y = schedule.axes 1 of %D
  %g = schedule.group %B, %C
  %gL = schedule.cache_write %g "local"
}
