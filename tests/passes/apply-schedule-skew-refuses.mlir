// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: skew of axis j along i by factor 0: factor must not be 0
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
  %w = schedule.skew %j along %i factor 0
}

// -----

// CHECK: error: skew names axis j twice
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
  %w = schedule.skew %j along %j factor 1
}

// -----

// The axis is gone after the first skew.
// CHECK: error: axis j was consumed by skew; use w
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
  %w = schedule.skew %j along %i factor 1
  %v = schedule.skew %j along %i factor 2
}

// -----

// The axis that it is skewed along must still be there.
// CHECK: error: axis i was consumed by split; use io, ii
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
  %io, %ii = schedule.split %i factor 4
  %w = schedule.skew %j along %i factor 1
}

// -----

// It must be there too when another handle names it.
// CHECK: error: apply-schedule: axis i is no leaf axis of stage "C"; its leaf axes are io, ii, j
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
  %io, %ii = schedule.split %i factor 4
  %p, %q = schedule.axes 2 of %C
  %w = schedule.skew %j along %p factor 1
}

// -----

// The kind of the parent would be lost.
// CHECK: error: apply-schedule: axis j of stage "C" is vectorized; skew it before that
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
  schedule.vectorize %j
  %w = schedule.skew %j along %i factor 1
}

// -----

// CHECK: error: apply-schedule: skew names axis x, which is no axis of stage "C" but of "B"
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %w = schedule.skew %j along %x factor 1
}

// -----

// A data axis would depend on a reduce axis.
// CHECK: error: apply-schedule: skew cannot join a data axis and a reduce axis: i, k of stage "S"
te.func @f(%A: tensor<4x9x5xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 2 to 9, %l = 5) : tensor<4xf32> {
    %a = te.read %A[%i, %k, %l] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %S : tensor<4xf32>
}
schedule.sequence @s on @f {
  %S = schedule.get "S"
  %i, %k, %l = schedule.axes 3 of %S
  %w = schedule.skew %i along %k factor 1
}

// -----

// CHECK: error: apply-schedule: skew cannot join a data axis and a reduce axis: k, i of stage "S"
te.func @f(%A: tensor<4x9x5xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 2 to 9, %l = 5) : tensor<4xf32> {
    %a = te.read %A[%i, %k, %l] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %S : tensor<4xf32>
}
schedule.sequence @s on @f {
  %S = schedule.get "S"
  %i, %k, %l = schedule.axes 3 of %S
  %w = schedule.skew %k along %i factor 1
}
