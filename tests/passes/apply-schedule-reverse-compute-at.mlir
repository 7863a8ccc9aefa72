// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The outer loops of a tile of the producer, with their kinds, become those of the stage; the producer computes
// the tile in them, with all of its loops.
te.func @tile(%A: tensor<32x17xf32>, %W: tensor<17x20xf32>) -> (tensor<20x32xf32>) {
  %B = te.compute "B" (%i = 32, %j = 20) reduce (%k = 17) : tensor<32x20xf32> {
    %0 = te.read %A[%i, %k] : f32
    %1 = te.read %W[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %C = te.compute "C" (%j = 20, %i = 32) : tensor<20x32xf32> {
    %0 = te.read %B[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<20x32xf32>
}
schedule.sequence @s on @tile {
  %B = schedule.get "B"
  %i, %j, %k = schedule.axes 3 of %B
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 10
  schedule.reorder %io, %jo, %k, %ii, %ji
  schedule.parallel %io
  schedule.vectorize %ji
  %C = schedule.get "C"
  %a, %b = schedule.reverse_compute_at %C, %B, %jo inner 2
  schedule.unroll %a
}

// CHECK-LABEL: te.func @tile
// CHECK-NEXT:   %C = schedule.stage "C" (%j = 20, %i = 32)
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 10
// CHECK-NEXT:     schedule.order %io parallel, %jo, %ii unrolled, %ji
// CHECK-NEXT:     %B = schedule.stage "B" at %jo (%i_1 = 32, %j_1 = 20) reduce (%k = 17)
// CHECK-NEXT:       %io_1, %ii_1 = schedule.split %i_1 factor 8
// CHECK-NEXT:       %jo_1, %ji_1 = schedule.split %j_1 factor 10
// CHECK-NEXT:       schedule.order %io_1, %jo_1, %k, %ii_1, %ji_1 vectorized

// -----

// Only what makes the outer loops is repeated; handles of these are of the stage from then on.
te.func @rows(%A: tensor<32x17xf32>, %W: tensor<17x20xf32>) -> (tensor<20x32xf32>) {
  %B = te.compute "B" (%i = 32, %j = 20) reduce (%k = 17) : tensor<32x20xf32> {
    %0 = te.read %A[%i, %k] : f32
    %1 = te.read %W[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %C = te.compute "C" (%j = 20, %i = 32) : tensor<20x32xf32> {
    %0 = te.read %B[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<20x32xf32>
}
schedule.sequence @s on @rows {
  %B = schedule.get "B"
  %i, %j, %k = schedule.axes 3 of %B
  %jo, %ji = schedule.split %j factor 4
  %C = schedule.get "C"
  schedule.reverse_compute_at %C, %B, %i
  schedule.parallel %i
}

// CHECK-LABEL: te.func @rows
// CHECK-NEXT:   %C = schedule.stage "C" (%j = 20, %i = 32)
// CHECK-NEXT:     schedule.order %i parallel, %j
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%i_1 = 32, %j_1 = 20) reduce (%k = 17)
// CHECK-NEXT:       %jo, %ji = schedule.split %j_1 factor 4
// CHECK-NEXT:       schedule.order %i_1, %jo, %ji, %k

// -----

// What is computed in a loop that is shared moves with it.
te.func @placed(%A: tensor<8x8xf32>) -> (tensor<64xf32>) {
  %X = te.compute "X" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %X[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 64) : tensor<64xf32> {
    %0 = te.read %B[%p floordiv 8, %p mod 8] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @placed {
  %B = schedule.get "B"
  %i, %j = schedule.axes 2 of %B
  %X = schedule.get "X"
  schedule.compute_at %X, %B, %i
  %C = schedule.get "C"
  schedule.reverse_compute_at %C, %B, %i
}

// CHECK-LABEL: te.func @placed
// CHECK-NEXT:   %C = schedule.stage "C" (%p = 64)
// CHECK-NEXT:     %i, %j = schedule.remap %p by affine_map<(d0) -> ((d0 floordiv 8), (d0 mod 8))>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     %X = schedule.stage "X" at %i

// -----

// The producer may be an output; it stays the caller's array.
te.func @output(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%p = 8) : tensor<8xf32> {
    %b = te.read %B[%p] : f32
    te.yield %b : f32
  }
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @output {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  schedule.reverse_compute_at %C, %B, %i
}

// CHECK-LABEL: te.func @output
// CHECK:         schedule.stage "C" (
// CHECK:           schedule.stage "B" at %{{.*}} stored at root (
// CHECK:         %[[B:.*]] = schedule.result "B" 0 : tensor<8xf32>
// CHECK-NEXT:    te.return %[[B]], %C
