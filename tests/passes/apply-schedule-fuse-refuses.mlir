// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: fuse needs at least one axis
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse
}

// -----

// CHECK: error: fuse names axis i twice
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %i, %i
}

// -----

// Another order than that of the stage.
// CHECK: error: apply-schedule: fuse needs adjacent axes in their order, got j, i; the order of stage "C" is i, j
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %j, %i
}

// -----

// An axis between them.
// CHECK: error: apply-schedule: fuse needs adjacent axes in their order, got i, j; the order of stage "C" is i, k, j
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
  schedule.reorder %i, %k, %j
  %f = schedule.fuse %i, %j
}

// -----

// A data axis with a reduce axis, where the elements are no box.
// CHECK: error: apply-schedule: fuse cannot join data axes and reduce axes, j, k, of stage "C": its domain is no box
te.func @f(%B: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) where (%i - %j >= 0) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %f = schedule.fuse %j, %k
}

// -----

// A data axis with a reduce axis, where more is said of the reduction.
// CHECK: error: apply-schedule: fuse cannot join data axes and reduce axes, j, k, of stage "C": decompose_reduction says something of its loops that an update does not have
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
  schedule.decompose_reduction %i
  %f = schedule.fuse %j, %k
}

// -----

// An axis at whose points elements begin, with one of the domain.
// CHECK: error: apply-schedule: fuse cannot join a data axis and a reduce axis: i, r of stage "S"
te.func @f() -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 9) state %s : tensor<9xf32> {
    %old = te.read %s[%r] : f32
    te.write %old, %s[%r] : f32
  } init {
    %zero = arith.constant 0.0 : f32
    te.yield %zero : f32
  }
  te.return %S : tensor<9xf32>
}
schedule.sequence @s on @f {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  %f = schedule.fuse %i, %r
}

// -----

// Axes of two stages.
// CHECK: error: apply-schedule: fuse names axis n, which is no axis of stage "C" but of "D"
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
  %f = schedule.fuse %i, %n
}

// -----

// An axis that was fused before.
// CHECK: error: axis i was consumed by fuse; use f
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %i, %j
  %g = schedule.fuse %i, %j
}

// -----

// CHECK: error: apply-schedule: axis i of stage "C" is unrolled; fuse it before that
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.unroll %i
  %f = schedule.fuse %i, %j
}

// -----

// A refusal names the command that has said more, not the op that it left in the stage.
// CHECK: error: apply-schedule: fuse cannot join data axes and reduce axes, i, k, of stage "C": specialize says something of its loops that an update does not have
te.func @f(%n: index, %A: tensor<?x4xf32> [%n, 4]) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n) reduce (%k = 4) : tensor<?xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.specialize %C affine_set<()[s0] : (s0 - 16 >= 0)>
  %i, %k = schedule.axes 2 of %C
  %f = schedule.fuse %i, %k
}

// -----

// CHECK: error: apply-schedule: fuse cannot join data axes and reduce axes, i, k, of stage "C": align_bounds says something of its loops that an update does not have
te.func @f(%A: tensor<8x4xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 8) : tensor<8xf32> {
    %c = te.read %C[%i] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  schedule.align_bounds %i modulus 4
  %f = schedule.fuse %i, %k
}
