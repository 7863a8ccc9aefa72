// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The producer's loops stay; the subscripts of the store are the inverse of those of the read.
te.func @transpose(%A: tensor<32x64xf32>) -> (tensor<64x32xf32>) {
  %B = te.compute "B" (%i = 32, %j = 64) : tensor<32x64xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%j = 64, %i = 32) : tensor<64x32xf32> {
    %0 = te.read %B[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<64x32xf32>
}
schedule.sequence @s on @transpose {
  %B = schedule.get "B"
  %i, %j = schedule.axes 2 of %B
  %io, %ii = schedule.split %i factor 8
  schedule.reorder %io, %j, %ii
  schedule.vectorize %ii
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// CHECK-LABEL: te.func @transpose
// CHECK-NEXT:   %C = schedule.stage "C" (%j = 64, %i = 32)
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     schedule.order %io, %j, %ii vectorized
// CHECK-NEXT:     schedule.equation (%j_1, %i_1) {
// CHECK-NEXT:       %0 = te.read %A[%i_1, %j_1]
// CHECK-NEXT:       %1 = arith.addf %0, %0
// CHECK-NEXT:       %2 = arith.addf %1, %1
// CHECK-NEXT:       te.yield %2

// -----

// Handles of the producer, and of its axes, are of the stage from then on.
te.func @handles(%A: tensor<32x64xf32>) -> (tensor<64x32xf32>) {
  %B = te.compute "B" (%i = 32, %j = 64) : tensor<32x64xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 64, %q = 32) : tensor<64x32xf32> {
    %0 = te.read %B[%q, %p] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<64x32xf32>
}
schedule.sequence @s on @handles {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
  %B = schedule.get "B"
  %i, %j = schedule.axes 2 of %B
  %io, %ii = schedule.split %i factor 8
  schedule.parallel %io
}

// CHECK-LABEL: te.func @handles
// CHECK-NEXT:   %C = schedule.stage "C" (%p = 64, %q = 32)
// CHECK-NEXT:     %io, %ii = schedule.split %q factor 8
// CHECK-NEXT:     schedule.order %io parallel, %ii, %p
// CHECK-NEXT:     schedule.equation (%p_1, %q_1) {
// CHECK-NEXT:       %0 = te.read %A[%q_1, %p_1]

// -----

// Identical reads are one; other tensors are arguments.
te.func @identical_reads(%A: tensor<32xf32>, %b: tensor<32xf32>) -> (tensor<32xf32>) {
  %B = te.compute "B" (%i = 32) : tensor<32xf32> {
    %0 = te.read %A[%i] : f32
    %1 = te.read %b[%i] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  %C = te.compute "C" (%p = 32) : tensor<32xf32> {
    %0 = te.read %B[%p] : f32
    %1 = te.read %B[%p] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<32xf32>
}
schedule.sequence @s on @identical_reads {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// CHECK-LABEL: te.func @identical_reads
// CHECK-NEXT:   %C = schedule.stage "C" (%p = 32)
// CHECK-NEXT:     schedule.order %p
// CHECK-NEXT:     schedule.equation (%p_1) {
// CHECK-NEXT:       %0 = te.read %A[%p_1]
// CHECK-NEXT:       %1 = te.read %b[%p_1]
// CHECK-NEXT:       %2 = arith.addf %0, %1
// CHECK-NEXT:       %3 = arith.addf %2, %2
// CHECK-NEXT:       te.yield %3

// -----

// An affine map that is no permutation: the axes of the producer are a remap of the stage's.
te.func @another_shape(%A: tensor<128x128xf32>) -> (tensor<8x32x8x8xf32>) {
  %B = te.compute "B" (%i = 128, %j = 128) : tensor<128x128xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%i = 8, %j = 32, %k = 8, %l = 8) : tensor<8x32x8x8xf32> {
    %0 = te.read %B[((%i * 32 + %j) * 8 + %k) floordiv 16, ((%i * 32 + %j) * 8 + %k) mod 16 * 8 + %l] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<8x32x8x8xf32>
}
schedule.sequence @s on @another_shape {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  schedule.vectorize %y
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// CHECK-LABEL: te.func @another_shape
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 8, %j = 32, %k = 8, %l = 8)
// CHECK-NEXT:     %i_1, %j_1 = schedule.remap %i, %j, %k, %l by affine_map<(d0, d1, d2, d3) -> (((d0 * 16) + (((d1 * 8) + d2) floordiv 16)), (d3 + ((((d1 * 8) + d2) mod 16) * 8)))>
// CHECK-NEXT:     schedule.order %i_1, %j_1 vectorized

// -----

// A unit axis has its only coordinate; an argument is read at the inverse, too.
te.func @unit_axis(%A: tensor<256x128xf32>, %Bias: tensor<16x16x1xf32>) -> (tensor<1x16x16x128xf32>) {
  %B = te.compute "B" (%i = 256, %j = 128) : tensor<256x128xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %D = te.compute "D" (%u = 1, %i = 16, %k = 16, %j = 128) : tensor<1x16x16x128xf32> {
    %0 = te.read %B[%i * 16 + %k, %j] : f32
    %1 = te.read %Bias[%i, %k, 0] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %D : tensor<1x16x16x128xf32>
}
schedule.sequence @s on @unit_axis {
  %D = schedule.get "D"
  schedule.reverse_compute_inline %D
}

// CHECK-LABEL: te.func @unit_axis
// CHECK-NEXT:   %D = schedule.stage "D" (%u = 1, %i = 16, %k = 16, %j = 128)
// CHECK-NEXT:     %i_1, %j_1 = schedule.remap %u, %i, %k, %j by affine_map<(d0, d1, d2, d3) -> (((d1 * 16) + d2), d3)>
// CHECK-NEXT:     schedule.order %i_1, %j_1

// -----

// The producer is larger: its loops run only where the stage has elements.
te.func @larger_producer(%A: tensor<128x128xf32>) -> (tensor<127x127xf32>) {
  %B = te.compute "B" (%i = 128, %j = 128) : tensor<128x128xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 127, %q = 127) : tensor<127x127xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<127x127xf32>
}
schedule.sequence @s on @larger_producer {
  %B = schedule.get "B"
  %i, %j = schedule.axes 2 of %B
  %io, %ii = schedule.split %i factor 16
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// CHECK-LABEL: te.func @larger_producer
// CHECK-NEXT:   %C = schedule.stage "C" (%p = 127, %q = 127)
// CHECK-NEXT:     %io, %ii = schedule.split %p factor 16
// CHECK-NEXT:     schedule.order %io, %ii, %q

// -----

// What is computed in the producer's loops stays there, and its place is that of the stage.
te.func @places(%A: tensor<32x64xf32>) -> (tensor<32x64xf32>) {
  %X = te.compute "X" (%i = 32, %j = 64) : tensor<32x64xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %B = te.compute "B" (%i = 32, %j = 64) : tensor<32x64xf32> {
    %0 = te.read %X[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%i = 32, %j = 64) : tensor<32x64xf32> {
    %0 = te.read %B[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %D = te.compute "D" (%i = 32, %j = 64) : tensor<32x64xf32> {
    %0 = te.read %C[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %D : tensor<32x64xf32>
}
schedule.sequence @s on @places {
  %D = schedule.get "D"
  %p, %q = schedule.axes 2 of %D
  %B = schedule.get "B"
  %i, %j = schedule.axes 2 of %B
  %X = schedule.get "X"
  schedule.compute_at %X, %B, %j
  %C = schedule.get "C"
  schedule.compute_at %B, %D, %p
  schedule.compute_at %C, %D, %p
  schedule.reverse_compute_inline %C
}

// CHECK-LABEL: te.func @places
// CHECK-NEXT:   %D = schedule.stage "D" (%i = 32, %j = 64)
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     %C = schedule.stage "C" at %i (%i_1 = 32, %j_1 = 64)
// CHECK-NEXT:       schedule.order %i_1, %j_1
// CHECK-NEXT:       %X = schedule.stage "X" at %j_1 (%i_2 = 32, %j_2 = 64)

// -----

// What it reads follows from a size: the loops of the producer are a map of its axes and the size.
te.func @flipped(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %0 = te.read %A[%i] : f32
    te.yield %0 : f32
  }
  %C = te.compute "C" (%p = %n) : tensor<?xf32> {
    %0 = te.read %B[%n - %p - 1] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @flipped {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// CHECK-LABEL: te.func @flipped
// CHECK-NEXT:   %C = schedule.stage "C" (%p = %n)
// CHECK-NEXT:     %i = schedule.remap %p by affine_map<(d0)[s0] -> (((s0 + (d0 * -1)) + -1))>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.equation (%p_1) {
// CHECK-NEXT:       %0 = te.read %A[%n - %p_1 - 1]

// -----

// Several consumers are merged into a producer of their own each: a clone, and what is left.
te.func @consumers(%A: tensor<8x16xf32>) -> (tensor<16x8xf32>, tensor<8x16xf32>) {
  %B = te.compute "B" (%i = 8, %j = 16) : tensor<8x16xf32> {
    %0 = te.read %A[%i, %j] : f32
    te.yield %0 : f32
  }
  %C = te.compute "C" (%p = 16, %q = 8) : tensor<16x8xf32> {
    %0 = te.read %B[%q, %p] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %D = te.compute "D" (%r = 8, %s = 16) : tensor<8x16xf32> {
    %0 = te.read %B[%r, %s] : f32
    %1 = arith.mulf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C, %D : tensor<16x8xf32>, tensor<8x16xf32>
}
schedule.sequence @s on @consumers {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %BC = schedule.clone_in %B readers %C
  %i, %j = schedule.axes 2 of %BC
  %io, %ii = schedule.split %i factor 4
  schedule.reverse_compute_inline %C
  schedule.reverse_compute_inline %D
}

// CHECK-LABEL: te.func @consumers
// CHECK-NOT:     "B
// CHECK:         %D = schedule.stage "D" (%r = 8, %s = 16)
// CHECK-NEXT:      schedule.order %r, %s
// CHECK:         %C = schedule.stage "C" (%p = 16, %q = 8)
// CHECK-NEXT:      %io, %ii = schedule.split %q factor 4
// CHECK-NEXT:      schedule.order %io, %ii, %p

// -----

// A stage that is merged into one whose loops it shares shares them with itself.
// CHECK-LABEL: te.func @of_shared_loops
// CHECK:         schedule.stage "Z"
// CHECK-NOT:     schedule.stage "X"
te.func @of_shared_loops(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %X = te.compute "X" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %Z = te.compute "Z" (%i = 8) : tensor<8xf32> {
    %x = te.read %X[%i] : f32
    te.yield %x : f32
  }
  te.return %Z : tensor<8xf32>
}
schedule.sequence @s9 on @of_shared_loops {
  %X = schedule.get "X"
  %Z = schedule.get "Z"
  %i = schedule.axes 1 of %X
  schedule.compute_with %Z, %X, %i
  schedule.reverse_compute_inline %Z
}
