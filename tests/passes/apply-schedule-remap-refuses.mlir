// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// Two instances would run at one place, so that one would not run.
// CHECK: remap of axes i, j by (d0, d1) -> ((d0 + d1)): it is not injective: [0, 1] and [1, 0] both become [1]
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
  %p = schedule.remap %i, %j by affine_map<(d0, d1) -> (d0 + d1)>
}

// -----

// Whether it is depends on the extents: 9 does not fit into 8.
// CHECK: remap of axes i by (d0) -> ((d0 mod 8)): it is not injective: [0] and [8] both become [0]
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
  %p = schedule.remap %i by affine_map<(d0) -> (d0 mod 8)>
}

// -----

// CHECK: it is not injective: [0, 1] and [1, 0] both become [1]
te.func @f(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %p = schedule.remap %i, %j by affine_map<(d0, d1) -> (d0 + d1)>
}

// -----

// CHECK: remap cannot join a data axis and a reduce axis: i, k of stage "S"
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
  %p, %q = schedule.remap %i, %k by affine_map<(d0, d1) -> (d1, d0)>
}

// -----

// The kind would be lost.
// CHECK: axis j of stage "C" is vectorized; remap it before that
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
  %p, %q = schedule.remap %i, %j by affine_map<(d0, d1) -> (d1, d0)>
}

// -----

// CHECK: axis i was consumed by remap; use p, q
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
  %p, %q = schedule.remap %i, %j by affine_map<(d0, d1) -> (d1, d0)>
  %o, %n = schedule.split %i factor 4
}

// -----

// CHECK: remap of axes i by (d0) -> ((d0 * 2097152)): 1922389 iterations would do nothing for each that does
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
  %p = schedule.remap %i by affine_map<(d0) -> (d0 * 2097152)>
}

// -----

// CHECK: axis p starts at 4611686018427387904
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
  %p = schedule.remap %i by affine_map<(d0) -> (d0 + 4611686018427387904)>
}

// -----

// CHECK: remap of axis i is by size 1 of the function, which has 1
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
  %p = schedule.remap %i by affine_map<(d0)[s0, s1] -> (d0 + s1)>
}

// -----

// CHECK: remap of axes i, j by (d0, d1)[s0] -> (((d0 + d1) + s0)): it is not injective: [0, 1] and [1, 0] both become [3], with n = 2
te.func @f(%n: index, %A: tensor<?x8xf32>[%n, 8]) -> (tensor<?x8xf32>) {
  %C = te.compute "C" (%i = %n, %j = 8) : tensor<?x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<?x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %p = schedule.remap %i, %j by affine_map<(d0, d1)[s0] -> (d0 + d1 + s0)>
}
