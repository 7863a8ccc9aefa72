// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The skew becomes a relation of the stage; the skewed axis takes the place of its parent, and
// the axis that it is skewed along stays a leaf.
te.func @wavefront(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @wavefront {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %w = schedule.skew %j along %i factor 1
  schedule.reorder %w, %i
}

// CHECK-LABEL: te.func @wavefront
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %w = schedule.skew %j along %i factor 1
// CHECK-NEXT:     schedule.order %w, %i

// -----

// Any axis is skewed along any other, by a negative factor too.
te.func @backwards(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @backwards {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %w = schedule.skew %i along %j factor -2
}

// CHECK-LABEL: te.func @backwards
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %w = schedule.skew %i along %j factor -2
// CHECK-NEXT:     schedule.order %w, %j

// -----

// The axis that it is skewed along can be consumed later.
te.func @later(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @later {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %w = schedule.skew %j along %i factor 1
  %io, %ii = schedule.split %i factor 4
}

// CHECK-LABEL: te.func @later
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %w = schedule.skew %j along %i factor 1
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:     schedule.order %io, %ii, %w

// -----

// It can have a kind, before the skew or after it.
te.func @along_an_axis_with_a_kind(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @along_an_axis_with_a_kind {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.unroll %i
  %w = schedule.skew %j along %i factor 1
  schedule.vectorize %w
}

// CHECK-LABEL: te.func @along_an_axis_with_a_kind
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %w = schedule.skew %j along %i factor 1
// CHECK-NEXT:     schedule.order %i unrolled, %w vectorized

// -----

// A stage that is computed at the parent moves to the skewed axis.
te.func @moves_a_stage(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
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
schedule.sequence @s on @moves_a_stage {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %j
  %w = schedule.skew %j along %i factor 1
}

// CHECK-LABEL: te.func @moves_a_stage
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %w = schedule.skew %j along %i factor 1
// CHECK-NEXT:     schedule.order %i, %w
// CHECK-NEXT:     %B = schedule.stage "B" at %w (%x = 12, %y = 8)
// CHECK-NEXT:       schedule.order %x, %y

// -----

// Reduce axes are skewed along each other.
te.func @reduce(%A: tensor<4x9x5xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 2 to 9, %l = 5) : tensor<4xf32> {
    %a = te.read %A[%i, %k, %l] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %S : tensor<4xf32>
}
schedule.sequence @s on @reduce {
  %S = schedule.get "S"
  %i, %k, %l = schedule.axes 3 of %S
  %w = schedule.skew %l along %k factor 1
}

// CHECK-LABEL: te.func @reduce
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 9, %l = 5)
// CHECK-NEXT:     %w = schedule.skew %l along %k factor 1
// CHECK-NEXT:     schedule.order %i, %k, %w
