// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// The loop of a shifted axis runs through the same positions, elsewhere.
te.func @leaf(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %s = schedule.shift %i by 3
    schedule.order %s
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @leaf
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %s = 3 to 23
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %s - 3

// -----

// Tiles lie at multiples of their factor, so a shift moves their boundaries: of 20 positions the
// first tile has 5, the last 7.
te.func @tiles(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %s = schedule.shift %i by 3
    %so, %si = schedule.split %s factor 8
    schedule.order %so, %si
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @tiles
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %so = 0 to 3
// CHECK-NEXT:     schedule.range %si = max(0, %so * -8 + 3) to min(8, %so * -8 + 23)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %s = 3 to 23
// CHECK-NEXT:     schedule.value %i = %so * 8 + %si - 3

// -----

// A negative offset moves the first tile below 0.
te.func @tiles_before_zero(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %s = schedule.shift %i by -3
    %so, %si = schedule.split %s factor 8
    schedule.order %so, %si
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @tiles_before_zero
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %so = -1 to 3
// CHECK-NEXT:     schedule.range %si = max(0, %so * -8 - 3) to min(8, %so * -8 + 17)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %s = -3 to 17
// CHECK-NEXT:     schedule.value %i = %so * 8 + %si + 3

// -----

// Two positions in two tiles: the last of the one and the first of the other.
te.func @few(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 2
    %s = schedule.shift %ii by 7
    %so, %si = schedule.split %s factor 8
    schedule.order %io, %so, %si
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @few
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 10
// CHECK-NEXT:     schedule.range %so = 0 to 2
// CHECK-NEXT:     schedule.range %si = %so * -7 + 7 to %so * -7 + 8
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %ii = 0 to 2
// CHECK-NEXT:     schedule.range %s = 7 to 9
// CHECK-NEXT:     schedule.value %i = %io * 2 + %so * 8 + %si - 7

// -----

// Positions that are all in one tile.
te.func @one_tile(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 4
    %s = schedule.shift %ii by 17
    %so, %si = schedule.split %s factor 8
    schedule.order %io, %so, %si
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @one_tile
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 5
// CHECK-NEXT:     schedule.range %so = 2 to 3
// CHECK-NEXT:     schedule.range %si = 1 to 5
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %ii = 0 to 4
// CHECK-NEXT:     schedule.range %s = 17 to 21
// CHECK-NEXT:     schedule.value %i = %io * 4 + %so * 8 + %si - 17

// -----

// Parts are counted from the start: a shift does not change them.
te.func @nparts(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %s = schedule.shift %i by 3
    %so, %si = schedule.split %s nparts 3
    schedule.order %so, %si
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @nparts
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %so = 0 to 3
// CHECK-NEXT:     schedule.range %si = 0 to min(7, %so * -7 + 20)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %s = 3 to 23
// CHECK-NEXT:     schedule.value %i = %so * 7 + %si

// -----

// A fusion runs through positions, counted from the start of every axis.
te.func @fused(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %s = schedule.shift %j by 3
    %f = schedule.fuse %i, %s
    schedule.order %f
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @fused
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK:          schedule.region [0 : 12, 0 : 8]
// CHECK-NEXT:     schedule.range %f = 0 to 96
// CHECK-NEXT:     schedule.range %i = 0 to 12
// CHECK-NEXT:     schedule.range %j = 0 to 8
// CHECK-NEXT:     schedule.range %s = 3 to 11
// CHECK-NEXT:     schedule.value %i = %f floordiv 8
// CHECK-NEXT:     schedule.value %j = %f mod 8

// -----

// A producer at a tile of a shifted axis computes what this tile reads.
te.func @producer(%A: tensor<22xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %s = schedule.shift %i by 3
    %so, %si = schedule.split %s factor 8
    schedule.order %so, %si
    %B = schedule.stage "B" at %so (%x = 22) : tensor<22xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %a = te.read %A[%x_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1) {
      %b = te.read %B[%i_1] : f32
      %c = te.read %B[%i_1 + 2] : f32
      %d = arith.addf %b, %c : f32
      te.yield %d : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @producer
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %so = 0 to 3
// CHECK-NEXT:     schedule.range %si = max(0, %so * -8 + 3) to min(8, %so * -8 + 23)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %s = 3 to 23
// CHECK-NEXT:     schedule.value %i = %so * 8 + %si - 3
// CHECK-NEXT:     %B = schedule.stage "B" at %so (%x = 22)
// CHECK:            schedule.region [%so * 8 - 3 : 10]
// CHECK-NEXT:       schedule.range %x = max(0, %so * 8 - 3) to min(22, %so * 8 + 7)

// -----

// A root axis counts from the start of its region: tiles are shifted in the region.
te.func @of_a_region(%A: tensor<22xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 10
    schedule.order %io, %ii
    %B = schedule.stage "B" at %io (%x = 22) : tensor<22xf32> {
      %t = schedule.shift %x by 1
      %to, %ti = schedule.split %t factor 4
      schedule.order %to, %ti
      schedule.equation (%x_1) {
        %a = te.read %A[%x_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1) {
      %b = te.read %B[%i_1] : f32
      %c = te.read %B[%i_1 + 2] : f32
      %d = arith.addf %b, %c : f32
      te.yield %d : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @of_a_region
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 2
// CHECK-NEXT:     schedule.range %ii = 0 to 10
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 10 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %io (%x = 22)
// CHECK:            schedule.region [%io * 10 : 12]
// CHECK-NEXT:       schedule.range %to = 0 to 4
// CHECK-NEXT:       schedule.range %ti = max(0, %to * -4 + 1) to min(4, %to * -4 + 13)
// CHECK-NEXT:       schedule.range %x = %io * 10 to %io * 10 + 12
// CHECK-NEXT:       schedule.range %t = 1 to 13
// CHECK-NEXT:       schedule.value %x = %io * 10 + %to * 4 + %ti - 1

// -----

// A reduce axis counts from its lower bound.
te.func @reduce(%A: tensor<4x9xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 9) : tensor<4xf32> {
    %s = schedule.shift %k by 3
    %so, %si = schedule.split %s factor 4
    schedule.order %i, %so, %si
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[%i_1, %k_1] : f32
      te.yield %a : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s_1 = arith.addf %p, %q : f32
      te.yield %s_1 : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: te.func @reduce
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 9)
// CHECK:          schedule.region [0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %so = 0 to 3
// CHECK-NEXT:     schedule.range %si = max(0, %so * -4 + 3) to min(4, %so * -4 + 10)
// CHECK-NEXT:     schedule.range %k = 2 to 9
// CHECK-NEXT:     schedule.range %s = 3 to 10
// CHECK-NEXT:     schedule.value %k = %so * 4 + %si - 1

// -----

// A size: the last tile ends with the tensor.
te.func @size(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %s = schedule.shift %i by 3
    %so, %si = schedule.split %s factor 8
    schedule.order %so, %si
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @size
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n)
// CHECK:          schedule.region [0 : %n]
// CHECK-NEXT:     schedule.range %so = 0 to (%n + 2) floordiv 8 + 1
// CHECK-NEXT:     schedule.range %si = max(0, %so * -8 + 3) to min(8, %n - %so * 8 + 3)
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %s = 3 to %n + 3
// CHECK-NEXT:     schedule.value %i = %so * 8 + %si - 3

// -----

// The parts of a size are shifted and shift others: what is no affine expression is computed from
// its relation, and what is one of those is a value.
te.func @of_parts(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %s = schedule.shift %i by 3
    %so, %si = schedule.split %s nparts 4
    %t = schedule.shift %so by -2
    schedule.order %t, %si
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @of_parts
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n)
// CHECK:          schedule.region [0 : %n]
// CHECK-NEXT:     schedule.range %t = -2 to 2
// CHECK-NEXT:     schedule.range %si = 0 to %n ceildiv 4
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %s = 3 to %n + 3
// CHECK-NEXT:     schedule.range %so = 0 to 4
// CHECK-NEXT:     schedule.value %so = %t + 2
// CHECK-NEXT:     schedule.value %i = %s - 3
// CHECK-NEXT:     schedule.guard (%n - %s + 2 >= 0)
