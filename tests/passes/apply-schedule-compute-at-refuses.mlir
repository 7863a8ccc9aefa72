// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: apply-schedule: cannot compute "C" at axis i of "C": a stage cannot be computed inside itself; legal places: the root, D.m, D.n
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_at %C, %C, %i
}

// -----

// A cycle: inside a stage that is computed inside it.
// CHECK: error: apply-schedule: cannot compute "C" at axis i of "B": "B" is computed inside "C", at axis i; legal places: the root, D.m, D.n
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  %x, %y, %z = schedule.axes 3 of %B
  schedule.compute_at %B, %C, %i
  schedule.compute_at %C, %B, %x
}

// -----

// A longer cycle: the first of the stages on the way is at axis m.
// CHECK: error: apply-schedule: cannot compute "D" at axis x of "B": "B" is computed inside "D", at axis m; legal places: the root, E.u, E.v
te.func @f(%A: tensor<9x8xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%x = 9, %y = 8) : tensor<9x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  %E = te.compute "E" (%u = 9, %v = 8) : tensor<9x8xf32> {
    %d = te.read %D[%u, %v] : f32
    te.yield %d : f32
  }
  te.return %E : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_at %B, %C, %j
  schedule.compute_at %C, %D, %m
  schedule.compute_at %D, %B, %x
}

// -----

// An axis of another stage than the one named.
// CHECK: error: apply-schedule: cannot compute "C" at axis i of "D": axis i belongs to "C"; legal places: the root, D.m, D.n
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_at %C, %D, %i
}

// -----

// An axis that was split before.
// CHECK: error: axis m was consumed by split; use mo, mi
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  %mo, %mi = schedule.split %m factor 4
  schedule.compute_at %C, %D, %m
}

// -----

// An axis that was split before, by another handle.
// CHECK: error: apply-schedule: cannot compute "C" at axis m of "D": axis m was consumed by split; use mo, mi; legal places: the root, D.mo, D.mi, D.n
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  %mo, %mi = schedule.split %m factor 4
  %p, %q = schedule.axes 2 of %D
  schedule.compute_at %C, %D, %p
}

// -----

// CHECK: error: apply-schedule: cannot compute "D" at axis i of "C": nothing reads it; legal places: the root
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_at %D, %C, %i
}

// -----

// No reader is inside the loop named.
// CHECK: error: apply-schedule: cannot compute "B" at axis m of "D": not every read of it is inside that loop (readers: "C"); legal places: the root, C.i, C.j, C.k
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_at %B, %D, %m
}

// -----

// One reader is not inside it.
// CHECK: error: apply-schedule: cannot compute "B" at axis z of "D": not every read of it is inside that loop (readers: "C", "D"); legal places: the root
te.func @f(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %B = te.compute "B" (%x = 9) : tensor<9xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 9) : tensor<9xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%z = 9) : tensor<9xf32> {
    %b = te.read %B[%z] : f32
    %c = te.read %C[%z] : f32
    %d = arith.addf %b, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<9xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  %D = schedule.get "D"
  %z = schedule.axes 1 of %D
  schedule.compute_at %B, %D, %z
}

// -----

// CHECK: error: apply-schedule: cannot compute "B" at axis y of "C": not every read of it is inside that loop (readers: "C", "D"); legal places: the root
te.func @f(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %B = te.compute "B" (%x = 9) : tensor<9xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 9) : tensor<9xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%z = 9) : tensor<9xf32> {
    %b = te.read %B[%z] : f32
    %c = te.read %C[%z] : f32
    %d = arith.addf %b, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<9xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  %D = schedule.get "D"
  %z = schedule.axes 1 of %D
  schedule.compute_at %B, %C, %y
}

// -----

// CHECK: error: apply-schedule: cannot compute "B" at axis y of "C": nothing reads it; legal places: the root
te.func @f(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12) : tensor<12xf32> {
    %a = te.read %A[%y] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  schedule.compute_at %B, %C, %y
}

// -----

// A vectorized axis has no loop to be in.
// CHECK: error: apply-schedule: cannot compute "C" at axis n of "D": n is vectorized; legal places: the root, D.m
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.vectorize %n
  schedule.compute_at %C, %D, %n
}

// -----

// The axis is vectorized later.
// CHECK: error: apply-schedule: cannot compute "C" at axis n of "D": n is vectorized; legal places: the root, D.m
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_at %C, %D, %n
  schedule.vectorize %n
}

// -----

// Inside a vectorized axis.
// CHECK: error: apply-schedule: cannot compute "C" at axis n of "D": m is vectorized; legal places: the root
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.vectorize %m
  schedule.compute_at %C, %D, %n
}

// -----

// Inside a vectorized axis of a stage further out: the stage that is computed there is refused.
// CHECK: error: apply-schedule: cannot compute "C" at axis n of "D": m is vectorized; legal places: the root
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_at %C, %D, %n
  schedule.compute_at %B, %C, %j
  schedule.vectorize %m
}

// -----

// An init region runs before the loops of the reduce axes.
// CHECK: error: apply-schedule: cannot compute "B" at axis k of "S": the init region of "S" reads it before that loop; legal places: the root, S.i
te.func @f(%A: tensor<12x8xf32>, %E: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %d = te.read %E[%x] : f32
    te.yield %d : f32
  }
  %S = te.compute "S" (%i = 12) reduce (%k = 8) : tensor<12xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  } init (%i) {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %S : tensor<12xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %S = schedule.get "S"
  %i, %k = schedule.axes 2 of %S
  schedule.compute_at %B, %S, %k
}

// -----

// CHECK: error: apply-schedule: cannot compute "B" at axis i of "S": the init region of "S" reads it before that loop; legal places: the root
te.func @f(%A: tensor<12x8xf32>, %E: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %d = te.read %E[%x] : f32
    te.yield %d : f32
  }
  %S = te.compute "S" (%i = 12) reduce (%k = 8) : tensor<12xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  } init (%i) {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %S : tensor<12xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %S = schedule.get "S"
  %i, %k = schedule.axes 2 of %S
  schedule.reorder %k, %i
  schedule.compute_at %B, %S, %i
}

// -----

// A stage that moves away leaves its producer where nothing reads it.
// CHECK: error: apply-schedule: cannot compute "B" at axis n of "D": not every read of it is inside that loop (readers: "C"); legal places: the root, C.i, C.j, C.k
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_at %C, %D, %n
  schedule.compute_at %B, %D, %n
  schedule.compute_root %C
}
