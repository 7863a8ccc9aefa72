// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// A group has places, and no axes.
// CHECK: error: apply-schedule: axes wants one stage, not the group of "B", "C"; a group has compute_at and compute_root
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %B, %C
  %x, %y = schedule.axes 2 of %g
}

// -----

// It cannot be inlined: its stages can.
// CHECK: error: apply-schedule: compute_inline wants one stage, not the group of "B", "C"; a group has compute_at and compute_root
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %B, %C
  schedule.compute_inline %g
}

// -----

// Nor can anything be computed inside it.
// CHECK: error: apply-schedule: compute_at wants one stage, not the group of "C", "D"; a group has compute_at and compute_root
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %C, %D
  schedule.compute_at %B, %g, %i
}

// -----

// Two groups that share a stage: one must hold the other.
// CHECK: error: apply-schedule: the group of "C", "D" shares "C" with the group of "B", "C", and neither holds the other
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %g = schedule.group %B, %C
  %h = schedule.group %C, %D
}

// -----

// An output in a group cannot be computed inside another stage.
// CHECK: error: apply-schedule: cannot compute "D" at axis u of "C": nothing reads it; legal places: the root
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %u, %v = schedule.axes 2 of %C
  %g = schedule.group %B, %D
  schedule.compute_at %g, %C, %u
}

// -----

// A stage of the group cannot be computed inside itself.
// CHECK: error: apply-schedule: cannot compute "C" at axis u of "C": a stage cannot be computed inside itself; legal places: the root, D.i, D.j
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %u, %v = schedule.axes 2 of %C
  %g = schedule.group %B, %C
  schedule.compute_at %g, %C, %u
}

// -----

// Each stage of a group has to be where all its readers are; the command is shown that placed it.
// CHECK: error: apply-schedule: cannot compute "E" at axis u of "C": not every read of it is inside that loop (readers: "D"); legal places: the root, D.i, D.j
// CHECK-NEXT: schedule.compute_at %g, %C, %u
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%u = 12, %v = 8) : tensor<12x8xf32> {
    %b = te.read %B[%u, %v] : f32
    te.yield %b : f32
  }
  %E = te.compute "E" (%p = 12, %q = 8) : tensor<12x8xf32> {
    %a = te.read %A[%p, %q] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %c = te.read %C[%i, %j] : f32
    %e = te.read %E[%i, %j] : f32
    %s = arith.addf %c, %e : f32
    te.yield %s : f32
  }
  te.return %D : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %u, %v = schedule.axes 2 of %C
  %w = schedule.get "E"
  %g = schedule.group %B, %w
  schedule.compute_at %g, %C, %u
}
