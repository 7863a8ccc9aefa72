// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// The first position becomes the last.
te.func @leaf(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %r = schedule.reverse %i
    schedule.order %r
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
// CHECK-NEXT:     schedule.range %r = 0 to 20
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %r * -1 + 19

// -----

// The short tile holds the first positions.
te.func @tiles(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %r = schedule.reverse %i
    %ro, %ri = schedule.split %r factor 8
    schedule.order %ro, %ri
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
// CHECK-NEXT:     schedule.range %ro = 0 to 3
// CHECK-NEXT:     schedule.range %ri = 0 to min(8, %ro * -8 + 20)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %r = 0 to 20
// CHECK-NEXT:     schedule.value %i = %ro * -8 - %ri + 19

// -----

// Tiles from the last to the first; the short one comes first.
te.func @of_tiles(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 8
    %r = schedule.reverse %io
    schedule.order %r, %ii
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @of_tiles
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %r = 0 to 3
// CHECK-NEXT:     schedule.range %ii = 0 to min(8, %r * 8 + 4)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %io = 0 to 3
// CHECK-NEXT:     schedule.value %i = %ii - %r * 8 + 16

// -----

// Twice reversed is the axis itself.
te.func @twice(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %r = schedule.reverse %i
    %t = schedule.reverse %r
    schedule.order %t
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @twice
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %t = 0 to 20
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %r = 0 to 20
// CHECK-NEXT:     schedule.value %i = %t

// -----

// A reversed axis has the start and the end of its parent.
te.func @shifted(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %s = schedule.shift %i by 3
    %r = schedule.reverse %s
    schedule.order %r
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @shifted
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20)
// CHECK:          schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %r = 3 to 23
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %s = 3 to 23
// CHECK-NEXT:     schedule.value %i = %r * -1 + 22

// -----

// A producer at a reversed axis computes what is read there.
te.func @producer(%A: tensor<22xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %r = schedule.reverse %i
    schedule.order %r
    %B = schedule.stage "B" at %r (%x = 22) : tensor<22xf32> {
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
// CHECK-NEXT:     schedule.range %r = 0 to 20
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %r * -1 + 19
// CHECK-NEXT:     %B = schedule.stage "B" at %r (%x = 22)
// CHECK:            schedule.region [%r * -1 + 19 : 3]
// CHECK-NEXT:       schedule.range %x = %r * -1 + 19 to %r * -1 + 22
// CHECK-NEXT:       schedule.guard (%r + %x - 21 == 0) or (%r + %x - 19 == 0)

// -----

// Inside a region its own end counts, not that of the tensor.
te.func @of_a_region(%A: tensor<22xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 5
    schedule.order %io, %ii
    %B = schedule.stage "B" at %io (%x = 22) : tensor<22xf32> {
      %r = schedule.reverse %x
      schedule.order %r
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
// CHECK-NEXT:     schedule.range %io = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to 5
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 5 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %io (%x = 22)
// CHECK:            schedule.region [%io * 5 : 7]
// CHECK-NEXT:       schedule.range %r = 0 to 7
// CHECK-NEXT:       schedule.range %x = %io * 5 to %io * 5 + 7
// CHECK-NEXT:       schedule.value %x = %io * 5 - %r + 6

// -----

// A reduction folds from its last term to its first.
te.func @reduce(%A: tensor<4x9xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 9) : tensor<4xf32> {
    %r = schedule.reverse %k
    schedule.order %i, %r
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[%i_1, %k_1] : f32
      te.yield %a : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: te.func @reduce
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 9)
// CHECK:          schedule.region [0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %r = 0 to 7
// CHECK-NEXT:     schedule.range %k = 2 to 9
// CHECK-NEXT:     schedule.value %k = %r * -1 + 8

// -----

// A size.
te.func @size(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    %r = schedule.reverse %i
    schedule.order %r
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
// CHECK-NEXT:     schedule.range %r = 0 to %n
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.value %i = %n - %r - 1

// -----

// The end of a fused axis is a product of sizes.
te.func @product(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %f = schedule.fuse %i, %j
    %r = schedule.reverse %f
    schedule.order %r
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @product
// CHECK:        %3 = arith.muli %1, %2 : index
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n, %j = %m)
// CHECK:          schedule.region [0 : %n, 0 : %m]
// CHECK-NEXT:     schedule.range %r = 0 to %3
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %j = 0 to %m
// CHECK-NEXT:     schedule.range %f = 0 to %3
// CHECK-NEXT:     schedule.value %f = %3 - %r - 1
