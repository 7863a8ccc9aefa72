// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: split of axis i by factor 0: factor must be at least 1
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
  %io, %ii = schedule.split %i factor 0
}

// -----

// CHECK: error: split of axis i by nparts 0: nparts must be at least 1
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
  %io, %ii = schedule.split %i nparts 0
}

// -----

// CHECK: error: split of axis i by factor -4: factor must be at least 1
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
  %io, %ii = schedule.split %i factor -4
}

// -----

// CHECK: error: split of axis i needs a factor or nparts, got both
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
  %io, %ii = schedule.split %i factor 4 nparts 3
}

// -----

// CHECK: error: a split needs `factor` or `nparts`, with a number
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
  %io, %ii = schedule.split %i
}

// -----

// The axis is gone after the first split.
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
  %a, %b = schedule.split %i factor 2
}

// -----

// It is gone too when another handle names it.
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
  %a, %b = schedule.split %p factor 2
}

// -----

// A size that the function does not have.
// CHECK: error: apply-schedule: split of axis i is by size 1 of the function, which has 1
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
  %io, %ii = schedule.split %i factor size 1
}

// -----

// A sum of such sizes.
// CHECK: error: apply-schedule: split of axis i is by size 2 of the function, which has 1
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
  %io, %ii = schedule.split %i factor size affine_map<()[s0, s1, s2] -> (s0 + s2 * 2)>
}

// -----

// CHECK: a number that is known at the call is `size 1`, or an affine_map of sizes to a sum, not affine_map<()[s0] -> ((s0 floordiv 2))>
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
  %io, %ii = schedule.split %i factor size affine_map<()[s0] -> (s0 floordiv 2)>
}
