// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// A tile is two splits, and an order of outer, outer, inner, inner.
te.func @tile(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @tile {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 2
}

// CHECK-LABEL: te.func @tile
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 2
// CHECK-NEXT:     schedule.order %io, %jo, %ii, %ji

// -----

// Its axes are ordered on the positions of the two that it split; the axis between them stays.
te.func @between(%A: tensor<4x3x4xf32>) -> (tensor<4x3x4xf32>) {
  %C = te.compute "C" (%i = 4, %j = 3, %k = 4) : tensor<4x3x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<4x3x4xf32>
}
schedule.sequence @s on @between {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %ko, %ii, %ki = schedule.tile %i, %k by 2, 2
}

// CHECK-LABEL: te.func @between
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 4, %j = 3, %k = 4) : tensor<4x3x4xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 2
// CHECK-NEXT:     %ko, %ki = schedule.split %k factor 2
// CHECK-NEXT:     schedule.order %io, %ko, %j, %ii, %ki

// -----

// Commands after it use its axes.
te.func @used(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @used {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 2
  %f = schedule.fuse %io, %jo
  schedule.parallel %f
  schedule.vectorize %ji
}

// CHECK-LABEL: te.func @used
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 2
// CHECK-NEXT:     %f = schedule.fuse %io, %jo
// CHECK-NEXT:     schedule.order %f parallel, %ii, %ji vectorized
