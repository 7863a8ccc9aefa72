// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// Loops of C that were changed cannot be told apart into those of the copy and those of the cache.
// CHECK: error: apply-schedule: cannot compute "C" in "local" first: its loops are not those of its equation any more; cache_write comes before all commands on the axes of its stage
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
  %xo, %xi = schedule.split %x factor 4
  %CL = schedule.cache_write %C "local"
}

// -----

// Nor can another order.
// CHECK: error: apply-schedule: cannot compute "C" in "local" first: its loops are not those of its equation any more; cache_write comes before all commands on the axes of its stage
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
  schedule.reorder %k, %x
  %CL = schedule.cache_write %C "local"
}

// -----

// Nor can a kind.
// CHECK: error: apply-schedule: cannot compute "C" in "local" first: its loops are not those of its equation any more; cache_write comes before all commands on the axes of its stage
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
  schedule.unroll %k
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

// CHECK: error: apply-schedule: no stage is named "B" (stages: C, D)
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
