// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// Adjacent axes become one, at the place of the first.
te.func @pair(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @pair {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %i, %j
}

// CHECK-LABEL: te.func @pair
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     schedule.order %f

// -----

// Any number of axes is fused at once.
te.func @three(%A: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) {
  %C = te.compute "C" (%i = 2, %j = 3, %k = 4) : tensor<2x3x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<2x3x4xf32>
}
schedule.sequence @s on @three {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %f = schedule.fuse %i, %j, %k
}

// CHECK-LABEL: te.func @three
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 2, %j = 3, %k = 4) : tensor<2x3x4xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j, %k
// CHECK-NEXT:     schedule.order %f

// -----

// Axes that a reorder made adjacent are fused in their new order.
te.func @reordered(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @reordered {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.reorder %j, %i
  %f = schedule.fuse %j, %i
}

// CHECK-LABEL: te.func @reordered
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %f = schedule.fuse %j, %i
// CHECK-NEXT:     schedule.order %f

// -----

// Reduce axes are fused with each other.
te.func @reduce(%A: tensor<4x3x2xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 3, %l = 2) : tensor<4xf32> {
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
  %f = schedule.fuse %k, %l
}

// CHECK-LABEL: te.func @reduce
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 3, %l = 2) : tensor<4xf32>
// CHECK-NEXT:     %f = schedule.fuse %k, %l
// CHECK-NEXT:     schedule.order %i, %f

// -----

// A single axis: the new one takes its place.
te.func @single(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @single {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %i
}

// CHECK-LABEL: te.func @single
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %f = schedule.fuse %i
// CHECK-NEXT:     schedule.order %f, %j
