// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// Loops stand in the order of the leaf axes, with their kinds.
te.func @kinds(%A: tensor<14x8xf32>) -> (tensor<12x8xf32>) {
  %B = schedule.stage "B" (%x = 14, %y = 8) : tensor<14x8xf32> {
    schedule.order %x, %y
    schedule.region [0 : 14, 0 : 8]
    schedule.range %x = 0 to 14
    schedule.range %y = 0 to 8
    schedule.equation (%x_1, %y_1) {
      %r0 = te.read %A[%x_1, %y_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %io, %ii = schedule.split %i factor 4
    %jo, %ji = schedule.split %j factor 4
    schedule.order %io parallel, %jo, %ii unrolled, %ji vectorized
    schedule.region [0 : 12, 0 : 8]
    schedule.range %io = 0 to 3
    schedule.range %jo = 0 to 2
    schedule.range %ii = 0 to 4
    schedule.range %ji = 0 to 4
    schedule.range %i = 0 to 12
    schedule.range %j = 0 to 8
    schedule.value %j = %jo * 4 + %ji
    schedule.value %i = %io * 4 + %ii
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<12x8xf32>
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
  %B = schedule.stage "B" (%x = 14, %y = 8) : tensor<14x8xf32> {
    schedule.order %x, %y
    schedule.region [0 : 14, 0 : 8]
    schedule.range %x = 0 to 14
    schedule.range %y = 0 to 8
    schedule.equation (%x_1, %y_1) {
      %r0 = te.read %A[%x_1, %y_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %f = schedule.fuse %i, %j
    schedule.order %f
    schedule.region [0 : 12, 0 : 8]
    schedule.range %f = 0 to 96
    schedule.range %i = 0 to 12
    schedule.range %j = 0 to 8
    schedule.value %j = %f mod 8
    schedule.value %i = %f floordiv 8
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<12x8xf32>
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
  %D = schedule.stage "D" (%z = 8) : tensor<8xf32> {
    %zo, %zi = schedule.split %z factor 4
    schedule.order %zo, %zi
    schedule.region [0 : 8]
    schedule.range %zo = 0 to 2
    schedule.range %zi = 0 to 4
    schedule.range %z = 0 to 8
    schedule.value %z = %zo * 4 + %zi
    %B = schedule.stage "B" at %zo (%x = 8) : tensor<8xf32> {
      schedule.order %x
      schedule.region [%zo * 4 : 4]
      schedule.range %x = %zo * 4 to %zo * 4 + 4
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    %C = schedule.stage "C" at %zo (%y = 8) : tensor<8xf32> {
      schedule.order %y
      schedule.region [%zo * 4 : 4]
      schedule.range %y = %zo * 4 to %zo * 4 + 4
      schedule.equation (%y_1) {
        %r0 = te.read %B[%y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%z_1) {
      %r0 = te.read %C[%z_1] : f32
      %r1 = te.read %B[%z_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %D : tensor<8xf32>
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
