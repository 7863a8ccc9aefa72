// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// The loop of the skewed axis moves with that of the other axis.
te.func @inside(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %w = schedule.skew %j along %i factor 1
    schedule.order %i, %w
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @inside
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK:          schedule.region [0 : 12, 0 : 8]
// CHECK-NEXT:     schedule.range %i = 0 to 12
// CHECK-NEXT:     schedule.range %w = %i to %i + 8
// CHECK-NEXT:     schedule.range %j = 0 to 8
// CHECK-NEXT:     schedule.value %j = %w - %i

// -----

// Outside of it: one diagonal after the other, each from where the parent's bounds let it begin.
te.func @wavefront(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %w = schedule.skew %j along %i factor 1
    schedule.order %w, %i
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @wavefront
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK:          schedule.region [0 : 12, 0 : 8]
// CHECK-NEXT:     schedule.range %w = 0 to 19
// CHECK-NEXT:     schedule.range %i = max(0, %w - 7) to min(12, %w + 1)
// CHECK-NEXT:     schedule.range %j = 0 to 8
// CHECK-NEXT:     schedule.value %j = %w - %i

// -----

// A negative factor: the other diagonals, and a start below 0.
te.func @backwards(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %w = schedule.skew %j along %i factor -1
    schedule.order %w, %i
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @backwards
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK:          schedule.region [0 : 12, 0 : 8]
// CHECK-NEXT:     schedule.range %w = -11 to 8
// CHECK-NEXT:     schedule.range %i = max(0, %w * -1) to min(12, %w * -1 + 8)
// CHECK-NEXT:     schedule.range %j = 0 to 8
// CHECK-NEXT:     schedule.value %j = %w + %i

// -----

// A factor of 2: neighbouring rows are two diagonals apart.
te.func @by_two(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %w = schedule.skew %j along %i factor 2
    schedule.order %w, %i
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @by_two
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK:          schedule.region [0 : 12, 0 : 8]
// CHECK-NEXT:     schedule.range %w = 0 to 30
// CHECK-NEXT:     schedule.range %i = max(0, %w floordiv 2 - 3) to min(12, %w floordiv 2 + 1)
// CHECK-NEXT:     schedule.range %j = 0 to 8
// CHECK-NEXT:     schedule.value %j = %w - %i * 2

// -----

// Tiles of the skewed axis are parallelograms.
te.func @tiles(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %w = schedule.skew %j along %i factor 1
    %wo, %wi = schedule.split %w factor 4
    schedule.order %wo, %i, %wi
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @tiles
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK:          schedule.region [0 : 12, 0 : 8]
// CHECK-NEXT:     schedule.range %wo = 0 to 5
// CHECK-NEXT:     schedule.range %i = max(0, %wo * 4 - 7) to min(12, %wo * 4 + 4)
// CHECK-NEXT:     schedule.range %wi = max(0, %i - %wo * 4) to min(4, %i - %wo * 4 + 8)
// CHECK-NEXT:     schedule.range %j = 0 to 8
// CHECK-NEXT:     schedule.range %w = 0 to 19
// CHECK-NEXT:     schedule.value %j = %wo * 4 + %wi - %i

// -----

// The axis that it is skewed along can be split afterwards: its value is what the parts make.
te.func @tiles_along(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %w = schedule.skew %j along %i factor 1
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii, %w
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @tiles_along
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK:          schedule.region [0 : 12, 0 : 8]
// CHECK-NEXT:     schedule.range %io = 0 to 3
// CHECK-NEXT:     schedule.range %ii = 0 to 4
// CHECK-NEXT:     schedule.range %w = %io * 4 + %ii to %io * 4 + %ii + 8
// CHECK-NEXT:     schedule.range %i = 0 to 12
// CHECK-NEXT:     schedule.range %j = 0 to 8
// CHECK-NEXT:     schedule.value %i = %io * 4 + %ii
// CHECK-NEXT:     schedule.value %j = %w - %io * 4 - %ii

// -----

// Two stages: the producer in the wavefront computes what one diagonal reads, which is the next.
te.func @producer(%A: tensor<9x7xf32>) -> (tensor<8x6xf32>) {
  %C = schedule.stage "C" (%i = 8, %j = 6) : tensor<8x6xf32> {
    %w = schedule.skew %j along %i factor 1
    schedule.order %w, %i
    %B = schedule.stage "B" at %w (%x = 9, %y = 7) : tensor<9x7xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %a = te.read %A[%x_1, %y_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %b = te.read %B[%i_1, %j_1 + 1] : f32
      %c = te.read %B[%i_1 + 1, %j_1] : f32
      %d = arith.addf %b, %c : f32
      te.yield %d : f32
    }
  }
  te.return %C : tensor<8x6xf32>
}

// CHECK-LABEL: te.func @producer
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 8, %j = 6)
// CHECK:          schedule.region [0 : 8, 0 : 6]
// CHECK-NEXT:     schedule.range %w = 0 to 13
// CHECK-NEXT:     schedule.range %i = max(0, %w - 5) to min(8, %w + 1)
// CHECK-NEXT:     schedule.range %j = 0 to 6
// CHECK-NEXT:     schedule.value %j = %w - %i
// CHECK-NEXT:     %B = schedule.stage "B" at %w (%x = 9, %y = 7)
// CHECK:            schedule.region [%w - 5 : 7, 0 : 7]
// CHECK-NEXT:       schedule.range %x = max(0, %w - 5) to min(9, %w + 2)
// CHECK-NEXT:       schedule.range %y = %w - %x + 1 to %w - %x + 2

// -----

// Axes of a region count from its start, whether they are consumed or not.
te.func @of_a_region(%A: tensor<9x7xf32>) -> (tensor<8x6xf32>) {
  %C = schedule.stage "C" (%i = 8, %j = 6) : tensor<8x6xf32> {
    %io, %ii = schedule.split %i factor 4
    %jo, %ji = schedule.split %j factor 3
    schedule.order %io, %jo, %ii, %ji
    %B = schedule.stage "B" at %jo (%x = 9, %y = 7) : tensor<9x7xf32> {
      %w = schedule.skew %y along %x factor 1
      schedule.order %w, %x
      schedule.equation (%x_1, %y_1) {
        %a = te.read %A[%x_1, %y_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %b = te.read %B[%i_1, %j_1 + 1] : f32
      %c = te.read %B[%i_1 + 1, %j_1] : f32
      %d = arith.addf %b, %c : f32
      te.yield %d : f32
    }
  }
  te.return %C : tensor<8x6xf32>
}

// CHECK-LABEL: te.func @of_a_region
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 8, %j = 6)
// CHECK:          schedule.region [0 : 8, 0 : 6]
// CHECK-NEXT:     schedule.range %io = 0 to 2
// CHECK-NEXT:     schedule.range %jo = 0 to 2
// CHECK-NEXT:     schedule.range %ii = 0 to 4
// CHECK-NEXT:     schedule.range %ji = 0 to 3
// CHECK-NEXT:     schedule.range %i = 0 to 8
// CHECK-NEXT:     schedule.range %j = 0 to 6
// CHECK-NEXT:     schedule.value %j = %jo * 3 + %ji
// CHECK-NEXT:     schedule.value %i = %io * 4 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %jo (%x = 9, %y = 7)
// CHECK:            schedule.region [%io * 4 : 5, %jo * 3 : 4]
// CHECK-NEXT:       schedule.range %w = 1 to 7
// CHECK-NEXT:       schedule.range %x = max(%io * 4 + %w - 3, %io * 4) to min(%io * 4 + 5, %io * 4 + %w + 1)
// CHECK-NEXT:       schedule.range %y = %jo * 3 to %jo * 3 + 4
// CHECK-NEXT:       schedule.value %y = %jo * 3 + %io * 4 + %w - %x

// -----

// Reduce axes: a sum by diagonals.
te.func @reduce(%A: tensor<4x9x5xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 9, %l = 5) : tensor<4xf32> {
    %w = schedule.skew %l along %k factor 1
    schedule.order %i, %w, %k
    schedule.equation (%i_1, %k_1, %l_1) {
      %a = te.read %A[%i_1, %k_1, %l_1] : f32
      te.yield %a : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: te.func @reduce
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 9, %l = 5)
// CHECK:          schedule.region [0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %w = 0 to 11
// CHECK-NEXT:     schedule.range %k = max(2, %w - 2) to min(9, %w + 3)
// CHECK-NEXT:     schedule.range %l = 0 to 5
// CHECK-NEXT:     schedule.value %l = %w - %k + 2

// -----

// Sizes.
te.func @sizes(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %w = schedule.skew %j along %i factor 1
    schedule.order %w, %i
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @sizes
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n, %j = %m)
// CHECK:          schedule.region [0 : %n, 0 : %m]
// CHECK-NEXT:     schedule.range %w = 0 to %n + %m - 1
// CHECK-NEXT:     schedule.range %i = max(0, %w - %m + 1) to min(%w + 1, %n)
// CHECK-NEXT:     schedule.range %j = 0 to %m
// CHECK-NEXT:     schedule.value %j = %w - %i

// -----

// The start is symbolic, and so is the first tile.
te.func @sizes_backwards(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %w = schedule.skew %j along %i factor -1
    %wo, %wi = schedule.split %w factor 4
    schedule.order %wo, %wi, %i
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @sizes_backwards
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n, %j = %m)
// CHECK:          schedule.region [0 : %n, 0 : %m]
// CHECK-NEXT:     schedule.range %wo = (%n + 2) floordiv 4 * -1 to %m ceildiv 4
// CHECK-NEXT:     schedule.range %wi = max(0, %n * -1 - %wo * 4 + 1) to min(4, %m - %wo * 4)
// CHECK-NEXT:     schedule.range %i = max(0, %wo * -4 - %wi) to min(%m - %wo * 4 - %wi, %n)
// CHECK-NEXT:     schedule.range %j = 0 to %m
// CHECK-NEXT:     schedule.range %w = %n * -1 + 1 to %m
// CHECK-NEXT:     schedule.value %j = %wo * 4 + %wi + %i

// -----

// An outer axis along its inner one: the diagonals overlap, and isl knows the outer loop only by an
// integer that exists. The bounds are those of the rational projection.
te.func @outer_along_inner(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %s = schedule.shift %i by 4
    %so, %si = schedule.split %s factor 3
    %w = schedule.skew %so along %si factor 3
    schedule.order %w, %si
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @outer_along_inner
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n)
// CHECK:          schedule.region [0 : %n]
// CHECK-NEXT:     schedule.range %w = 2 to (%n + 1) floordiv 3 + 7
// CHECK-NEXT:     schedule.range %si = max(0, (%w * 3 - %n + 4) floordiv 8) to min(3, (%w * 3 + 4) floordiv 8)
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %s = 4 to %n + 4
// CHECK-NEXT:     schedule.range %so = 1 to %n floordiv 3 + 2
// CHECK-NEXT:     schedule.value %i = %w * 3 - %si * 8 - 4

// -----

// The upper bound of a fused axis divides a size; tighter bounds divide the axis itself, and are for
// the guard.
te.func @fused_tiles_of_a_size(%n: index, %A: tensor<?xf32>[%n * 14 + 7]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n * 14 + 7) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 8
    %iio, %iii = schedule.split %ii nparts 4
    %w = schedule.skew %iii along %iio factor 3
    %f = schedule.fuse %io, %iio
    %g = schedule.fuse %f, %w
    schedule.order %g
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @fused_tiles_of_a_size
// CHECK:          schedule.range %g = 0 to %n * 77 + 43

// -----

// Along an axis whose parts are known when the program runs: a guard says where the parent ends.
te.func @along_parts(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %w = schedule.skew %j along %i factor 1
    %io, %ii = schedule.split %i nparts 4
    schedule.order %io, %ii, %w
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @along_parts
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n, %j = %m)
// CHECK:          schedule.region [0 : %n, 0 : %m]
// CHECK-NEXT:     schedule.range %io = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to %n ceildiv 4
// CHECK-NEXT:     schedule.range %w = 0 to %n + %m - 1
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %j = 0 to %m
// CHECK-NEXT:     schedule.value %j = %w - %i
// CHECK-NEXT:     schedule.guard (%m + %i - %w - 1 >= 0, %n - %i - 1 >= 0, %w - %i >= 0)
