// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,build-loops | filecheck %s

// Loops stand in the order of the leaf axes, with their kinds.
te.func @kinds(%A: tensor<14x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 14, %y = 8) : tensor<14x8xf32> {
    %r0 = te.read %A[%x, %y] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %r0 = te.read %B[%i, %j] : f32
    %r1 = te.read %B[%i + 2, %j] : f32
    %t1 = arith.addf %r0, %r1 : f32
    te.yield %t1 : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @kinds {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  schedule.parallel %io
  schedule.unroll %ii
  schedule.vectorize %ji
}

// CHECK-LABEL: func.func @kinds
// CHECK:        %B = loop.realize "B" [0 : 14, 0 : 8] : !loop.tensor<2, f32>
// CHECK-NEXT:   loop.for %x = 0 to 14 {
// CHECK-NEXT:     loop.for %y = 0 to 8 {
// CHECK-NEXT:       %r0 = loop.load %A_1[%x, %y] : f32
// CHECK-NEXT:       loop.store %r0, %B[%x, %y] : f32
// CHECK:        loop.for %io = 0 to 3 parallel {
// CHECK-NEXT:     loop.for %jo = 0 to 2 {
// CHECK-NEXT:       loop.for %ii = 0 to 4 unrolled {
// CHECK-NEXT:         loop.for %ji = 0 to 4 vectorized {
// CHECK-NEXT:           %r0_1 = loop.load %B[%io * 4 + %ii, %jo * 4 + %ji] : f32
// CHECK-NEXT:           %r1 = loop.load %B[%io * 4 + %ii + 2, %jo * 4 + %ji] : f32
// CHECK:                loop.store %t1, %C_1[%io * 4 + %ii, %jo * 4 + %ji] : f32

// -----

// A fused axis is one loop; row and column are computed from it.
te.func @fused(%A: tensor<14x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 14, %y = 8) : tensor<14x8xf32> {
    %r0 = te.read %A[%x, %y] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %r0 = te.read %B[%i, %j] : f32
    %r1 = te.read %B[%i + 2, %j] : f32
    %t1 = arith.addf %r0, %r1 : f32
    te.yield %t1 : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @fused {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %i, %j
}

// CHECK-LABEL: func.func @fused
// CHECK:        %B = loop.realize "B" [0 : 14, 0 : 8] : !loop.tensor<2, f32>
// CHECK-NEXT:   loop.for %x = 0 to 14 {
// CHECK-NEXT:     loop.for %y = 0 to 8 {
// CHECK-NEXT:       %r0 = loop.load %A_1[%x, %y] : f32
// CHECK-NEXT:       loop.store %r0, %B[%x, %y] : f32
// CHECK:        loop.for %f = 0 to 96 {
// CHECK-NEXT:     %r0_1 = loop.load %B[%f floordiv 8, %f mod 8] : f32
// CHECK-NEXT:     %r1 = loop.load %B[%f floordiv 8 + 2, %f mod 8] : f32
// CHECK:          loop.store %t1, %C_1[%f floordiv 8, %f mod 8] : f32

// -----

// Stages at one loop stand in the order of their reads.
te.func @stages(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%x = 8) : tensor<8xf32> {
    %r0 = te.read %A[%x] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%y = 8) : tensor<8xf32> {
    %r0 = te.read %B[%y] : f32
    te.yield %r0 : f32
  }
  %D = te.compute "D" (%z = 8) : tensor<8xf32> {
    %r0 = te.read %C[%z] : f32
    %r1 = te.read %B[%z] : f32
    %t1 = arith.addf %r0, %r1 : f32
    te.yield %t1 : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @stages {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %z = schedule.axes 1 of %D
  %zo, %zi = schedule.split %z factor 4
  schedule.compute_at %C, %D, %zo
  schedule.compute_at %B, %D, %zo
}

// CHECK-LABEL: func.func @stages
// CHECK:        loop.for %zo = 0 to 2 {
// CHECK-NEXT:     %B = loop.realize "B" [%zo * 4 : 4] : !loop.tensor<1, f32>
// CHECK-NEXT:     loop.for %x = %zo * 4 to %zo * 4 + 4 {
// CHECK-NEXT:       %r0 = loop.load %A_1[%x] : f32
// CHECK-NEXT:       loop.store %r0, %B[%x] : f32
// CHECK:          %C = loop.realize "C" [%zo * 4 : 4] : !loop.tensor<1, f32>
// CHECK-NEXT:     loop.for %y = %zo * 4 to %zo * 4 + 4 {
// CHECK-NEXT:       %r0_1 = loop.load %B[%y] : f32
// CHECK-NEXT:       loop.store %r0_1, %C[%y] : f32
// CHECK:          loop.for %zi = 0 to 4 {
// CHECK-NEXT:       %r0_2 = loop.load %C[%zo * 4 + %zi] : f32
// CHECK-NEXT:       %r1 = loop.load %B[%zo * 4 + %zi] : f32
// CHECK:            loop.store %t1, %D_1[%zo * 4 + %zi] : f32
