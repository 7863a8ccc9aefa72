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

// A data axis with a reduce axis: the reduction becomes an update, whose elements begin in front of
// its loops. Handles of the axes, also new ones, are of the domain.
te.func @mixed(%A: tensor<4x3xf32>, %B: tensor<4xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 0 to %i) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  } init (%j) {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %S : tensor<4xf32>
}
schedule.sequence @s on @mixed {
  %S = schedule.get "S"
  %i, %k = schedule.axes 2 of %S
  %io, %ii = schedule.split %i factor 2
  %f = schedule.fuse %ii, %k
  %again, %other = schedule.axes 2 of %S
  schedule.unroll %io
}

// CHECK-LABEL: te.func @mixed
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%i_1 = 4, %k = %i_1) : tensor<4xf32> {
// CHECK-NEXT:     %io, %ii = schedule.split %i_1 factor 2
// CHECK-NEXT:     %f = schedule.fuse %ii, %k
// CHECK-NEXT:     schedule.order %i, %io unrolled, %f
// CHECK-NEXT:     schedule.update (%i_2, %k_1) state %S_1 reorderable : tensor<4xf32> {
// CHECK-NEXT:       %a = te.read %A[%i_2, %k_1] : f32
// CHECK-NEXT:       %0 = te.read %S_1[%i_2] : f32
// CHECK-NEXT:       %s = arith.addf %0, %a : f32
// CHECK-NEXT:       te.write %s, %S_1[%i_2] : f32
// CHECK-NEXT:     } init (%j) {
// CHECK-NEXT:       %b = te.read %B[%j] : f32
// CHECK-NEXT:       te.yield %b : f32

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
