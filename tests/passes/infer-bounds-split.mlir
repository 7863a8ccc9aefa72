// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// A factor that divides gives full tiles.
te.func @divides(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 5
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @divides
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 5
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to 5
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 5 + %ii

// -----

// 20 by 16: the second tile has 4 iterations, by the bound of the inner loop.
te.func @last_tile(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 16
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @last_tile
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 16
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 2
// CHECK-NEXT:     schedule.range %ii = 0 to min(16, %io * -16 + 20)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 16 + %ii

// -----

// With the loops exchanged the outer one takes the inner's bound; no guard is needed.
te.func @exchanged(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 16
    schedule.order %ii, %io
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @exchanged
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 16
// CHECK-NEXT:     schedule.order %ii, %io
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %ii = 0 to 16
// CHECK-NEXT:     schedule.range %io = 0 to (%ii + 12) floordiv 16 * -1 + 2
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 16 + %ii

// -----

// A factor above the extent leaves one tile.
te.func @above(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 64
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @above
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 64
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 1
// CHECK-NEXT:     schedule.range %ii = 0 to 20
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 64 + %ii

// -----

// 20 in 3 parts: parts of 7, the last of 6.
te.func @nparts(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i nparts 3
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @nparts
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i nparts 3
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 3
// CHECK-NEXT:     schedule.range %ii = 0 to min(7, %io * -7 + 20)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 7 + %ii

// -----

// 20 in 8 parts of 3: the last has none, and is not run.
te.func @nparts_empty(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i nparts 8
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @nparts_empty
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i nparts 8
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 7
// CHECK-NEXT:     schedule.range %ii = 0 to min(3, %io * -3 + 20)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 3 + %ii

// -----

// A split of a split.
te.func @twice(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 8
    %iio, %iii = schedule.split %ii factor 3
    schedule.order %io, %iio, %iii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @twice
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     %iio, %iii = schedule.split %ii factor 3
// CHECK-NEXT:     schedule.order %io, %iio, %iii
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 3
// CHECK-NEXT:     schedule.range %iio = 0 to min(3, (%io * 8 + 1) floordiv 3 * -1 + 7)
// CHECK-NEXT:     schedule.range %iii = 0 to min(3, %iio * -3 + 8, %io * -8 - %iio * 3 + 20)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %ii = 0 to 8
// CHECK-NEXT:     schedule.value %i = %io * 8 + %iio * 3 + %iii

// -----

// Tiles of an extent that is known at the call, or so many: sizes of their own, counted from the
// start. Which point an iteration is follows from code; a call checks that there are tiles.
te.func @at_the_call(%n: index, %t: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) order [1, 2, 3] {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor size 1
    %iio, %iii = schedule.split %ii nparts 2
    schedule.order %io, %iio, %iii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @at_the_call
// CHECK:         %[[TILES:[0-9]+]] = arith.divsi
// CHECK-NEXT:    %C = schedule.stage "C" (%i = %n) : tensor<?xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor size 1
// CHECK-NEXT:     %iio, %iii = schedule.split %ii nparts 2
// CHECK-NEXT:     schedule.order %io, %iio, %iii
// CHECK-NEXT:     schedule.region [0 : %n]
// CHECK-NEXT:     schedule.range %io = 0 to %[[TILES]]
// CHECK-NEXT:     schedule.range %iio = 0 to 2
// CHECK-NEXT:     schedule.range %iii = 0 to %t ceildiv 2
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %ii = 0 to %t
// CHECK-NEXT:     schedule.guard
// CHECK-NEXT:     schedule.promised (%t - 1 >= 0) "split of axis i of C by t, which must be at least 1"

// -----

// A number of sizes may be a sum of them: twice the last one in a tile, and so many tiles and one.
te.func @sums(%n: index, %t: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) order [1, 2, 3] {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor size affine_map<()[s0, s1] -> (s1 * 2)>
    %iio, %iii = schedule.split %ii nparts size affine_map<()[s0, s1] -> (s0 + s1 + 1)>
    schedule.order %io, %iio, %iii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @sums
// CHECK:         %[[TILES:[0-9]+]] = arith.divsi
// CHECK:         %[[EACH:[0-9]+]] = arith.divsi
// CHECK-NEXT:    %C = schedule.stage "C" (%i = %n) : tensor<?xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor size affine_map<()[s0, s1] -> ((s1 * 2))>
// CHECK-NEXT:     %iio, %iii = schedule.split %ii nparts size affine_map<()[s0, s1] -> (((s0 + s1) + 1))>
// CHECK-NEXT:     schedule.order %io, %iio, %iii
// CHECK-NEXT:     schedule.region [0 : %n]
// CHECK-NEXT:     schedule.range %io = 0 to %[[TILES]]
// CHECK-NEXT:     schedule.range %iio = 0 to %n + %t + 1
// CHECK-NEXT:     schedule.range %iii = 0 to %[[EACH]]
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %ii = 0 to %t * 2
// CHECK-NEXT:     schedule.guard
// CHECK-NEXT:     schedule.promised (%t * 2 - 1 >= 0) "split of axis i of C by t * 2, which must be at least 1"
// CHECK-NEXT:     schedule.promised (%n + %t >= 0) "split of axis ii of C by n + t + 1, which must be at least 1"
