// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// A tile of 8 by 4 needs 10 by 6 elements.
te.func @tile(%A: tensor<18x18xf32>) -> (tensor<16x16xf32>) {
  %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32> {
    %io, %ii = schedule.split %i factor 8
    %jo, %ji = schedule.split %j factor 4
    schedule.order %io, %jo, %ii, %ji
    %B = schedule.stage "B" at %jo (%x = 18, %y = 18) : tensor<18x18xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1, %j_1 + 1] : f32
      %r2 = te.read %B[%i_1, %j_1 + 2] : f32
      %r3 = te.read %B[%i_1 + 1, %j_1] : f32
      %r4 = te.read %B[%i_1 + 1, %j_1 + 1] : f32
      %r5 = te.read %B[%i_1 + 1, %j_1 + 2] : f32
      %r6 = te.read %B[%i_1 + 2, %j_1] : f32
      %r7 = te.read %B[%i_1 + 2, %j_1 + 1] : f32
      %r8 = te.read %B[%i_1 + 2, %j_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      %t3 = arith.addf %t2, %r3 : f32
      %t4 = arith.addf %t3, %r4 : f32
      %t5 = arith.addf %t4, %r5 : f32
      %t6 = arith.addf %t5, %r6 : f32
      %t7 = arith.addf %t6, %r7 : f32
      %t8 = arith.addf %t7, %r8 : f32
      te.yield %t8 : f32
    }
  }
  te.return %C : tensor<16x16xf32>
}

// CHECK-LABEL: te.func @tile
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     schedule.order %io, %jo, %ii, %ji
// CHECK-NEXT:     schedule.region [0 : 16, 0 : 16]
// CHECK-NEXT:     schedule.range %io = 0 to 2
// CHECK-NEXT:     schedule.range %jo = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to 8
// CHECK-NEXT:     schedule.range %ji = 0 to 4
// CHECK-NEXT:     schedule.range %i = 0 to 16
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     schedule.value %j = %jo * 4 + %ji
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %jo (%x = 18, %y = 18) : tensor<18x18xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%io * 8 : 10, %jo * 4 : 6]
// CHECK-NEXT:       schedule.range %x = %io * 8 to %io * 8 + 10
// CHECK-NEXT:       schedule.range %y = %jo * 4 to %jo * 4 + 6

// -----

// The last tile of 20 by 8 has four rows: what it does not need is stored, not computed.
te.func @last_tile(%A: tensor<22x18xf32>) -> (tensor<20x16xf32>) {
  %C = schedule.stage "C" (%i = 20, %j = 16) : tensor<20x16xf32> {
    %io, %ii = schedule.split %i factor 8
    %jo, %ji = schedule.split %j factor 4
    schedule.order %io, %jo, %ii, %ji
    %B = schedule.stage "B" at %jo (%x = 22, %y = 18) : tensor<22x18xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1, %j_1 + 1] : f32
      %r2 = te.read %B[%i_1, %j_1 + 2] : f32
      %r3 = te.read %B[%i_1 + 1, %j_1] : f32
      %r4 = te.read %B[%i_1 + 1, %j_1 + 1] : f32
      %r5 = te.read %B[%i_1 + 1, %j_1 + 2] : f32
      %r6 = te.read %B[%i_1 + 2, %j_1] : f32
      %r7 = te.read %B[%i_1 + 2, %j_1 + 1] : f32
      %r8 = te.read %B[%i_1 + 2, %j_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      %t3 = arith.addf %t2, %r3 : f32
      %t4 = arith.addf %t3, %r4 : f32
      %t5 = arith.addf %t4, %r5 : f32
      %t6 = arith.addf %t5, %r6 : f32
      %t7 = arith.addf %t6, %r7 : f32
      %t8 = arith.addf %t7, %r8 : f32
      te.yield %t8 : f32
    }
  }
  te.return %C : tensor<20x16xf32>
}

// CHECK-LABEL: te.func @last_tile
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20, %j = 16) : tensor<20x16xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     schedule.order %io, %jo, %ii, %ji
// CHECK-NEXT:     schedule.region [0 : 20, 0 : 16]
// CHECK-NEXT:     schedule.range %io = 0 to 3
// CHECK-NEXT:     schedule.range %jo = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to min(8, %io * -8 + 20)
// CHECK-NEXT:     schedule.range %ji = 0 to 4
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     schedule.value %j = %jo * 4 + %ji
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %jo (%x = 22, %y = 18) : tensor<22x18xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%io * 8 : 10, %jo * 4 : 6]
// CHECK-NEXT:       schedule.range %x = %io * 8 to min(22, %io * 8 + 10)
// CHECK-NEXT:       schedule.range %y = %jo * 4 to %jo * 4 + 6

// -----

// At the loop of rows of tiles: ten full rows.
te.func @strip(%A: tensor<18x18xf32>) -> (tensor<16x16xf32>) {
  %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32> {
    %io, %ii = schedule.split %i factor 8
    %jo, %ji = schedule.split %j factor 4
    schedule.order %io, %jo, %ii, %ji
    %B = schedule.stage "B" at %io (%x = 18, %y = 18) : tensor<18x18xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1, %j_1 + 1] : f32
      %r2 = te.read %B[%i_1, %j_1 + 2] : f32
      %r3 = te.read %B[%i_1 + 1, %j_1] : f32
      %r4 = te.read %B[%i_1 + 1, %j_1 + 1] : f32
      %r5 = te.read %B[%i_1 + 1, %j_1 + 2] : f32
      %r6 = te.read %B[%i_1 + 2, %j_1] : f32
      %r7 = te.read %B[%i_1 + 2, %j_1 + 1] : f32
      %r8 = te.read %B[%i_1 + 2, %j_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      %t3 = arith.addf %t2, %r3 : f32
      %t4 = arith.addf %t3, %r4 : f32
      %t5 = arith.addf %t4, %r5 : f32
      %t6 = arith.addf %t5, %r6 : f32
      %t7 = arith.addf %t6, %r7 : f32
      %t8 = arith.addf %t7, %r8 : f32
      te.yield %t8 : f32
    }
  }
  te.return %C : tensor<16x16xf32>
}

// CHECK-LABEL: te.func @strip
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     schedule.order %io, %jo, %ii, %ji
// CHECK-NEXT:     schedule.region [0 : 16, 0 : 16]
// CHECK-NEXT:     schedule.range %io = 0 to 2
// CHECK-NEXT:     schedule.range %jo = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to 8
// CHECK-NEXT:     schedule.range %ji = 0 to 4
// CHECK-NEXT:     schedule.range %i = 0 to 16
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     schedule.value %j = %jo * 4 + %ji
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %io (%x = 18, %y = 18) : tensor<18x18xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%io * 8 : 10, 0 : 18]
// CHECK-NEXT:       schedule.range %x = %io * 8 to %io * 8 + 10
// CHECK-NEXT:       schedule.range %y = 0 to 18

// -----

// At an element: three by three.
te.func @element(%A: tensor<18x18xf32>) -> (tensor<16x16xf32>) {
  %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32> {
    %io, %ii = schedule.split %i factor 8
    %jo, %ji = schedule.split %j factor 4
    schedule.order %io, %jo, %ii, %ji
    %B = schedule.stage "B" at %ji (%x = 18, %y = 18) : tensor<18x18xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1, %j_1 + 1] : f32
      %r2 = te.read %B[%i_1, %j_1 + 2] : f32
      %r3 = te.read %B[%i_1 + 1, %j_1] : f32
      %r4 = te.read %B[%i_1 + 1, %j_1 + 1] : f32
      %r5 = te.read %B[%i_1 + 1, %j_1 + 2] : f32
      %r6 = te.read %B[%i_1 + 2, %j_1] : f32
      %r7 = te.read %B[%i_1 + 2, %j_1 + 1] : f32
      %r8 = te.read %B[%i_1 + 2, %j_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      %t3 = arith.addf %t2, %r3 : f32
      %t4 = arith.addf %t3, %r4 : f32
      %t5 = arith.addf %t4, %r5 : f32
      %t6 = arith.addf %t5, %r6 : f32
      %t7 = arith.addf %t6, %r7 : f32
      %t8 = arith.addf %t7, %r8 : f32
      te.yield %t8 : f32
    }
  }
  te.return %C : tensor<16x16xf32>
}

// CHECK-LABEL: te.func @element
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 8
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     schedule.order %io, %jo, %ii, %ji
// CHECK-NEXT:     schedule.region [0 : 16, 0 : 16]
// CHECK-NEXT:     schedule.range %io = 0 to 2
// CHECK-NEXT:     schedule.range %jo = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to 8
// CHECK-NEXT:     schedule.range %ji = 0 to 4
// CHECK-NEXT:     schedule.range %i = 0 to 16
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     schedule.value %j = %jo * 4 + %ji
// CHECK-NEXT:     schedule.value %i = %io * 8 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %ji (%x = 18, %y = 18) : tensor<18x18xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%io * 8 + %ii : 3, %jo * 4 + %ji : 3]
// CHECK-NEXT:       schedule.range %x = %io * 8 + %ii to %io * 8 + %ii + 3
// CHECK-NEXT:       schedule.range %y = %jo * 4 + %ji to %jo * 4 + %ji + 3

// -----

// Two stencils after each other: the first grows at both.
te.func @two(%A: tensor<20xf32>) -> (tensor<14xf32>) {
  %D = schedule.stage "D" (%z = 14) : tensor<14xf32> {
    %zo, %zi = schedule.split %z factor 7
    schedule.order %zo, %zi
    %B = schedule.stage "B" at %zo (%x = 18) : tensor<18xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        %r1 = te.read %A[%x_1 + 2] : f32
        %t1 = arith.addf %r0, %r1 : f32
        te.yield %t1 : f32
      }
    }
    %C = schedule.stage "C" at %zo (%y = 16) : tensor<16xf32> {
      schedule.order %y
      schedule.equation (%y_1) {
        %r0 = te.read %B[%y_1] : f32
        %r1 = te.read %B[%y_1 + 2] : f32
        %t1 = arith.addf %r0, %r1 : f32
        te.yield %t1 : f32
      }
    }
    schedule.equation (%z_1) {
      %r0 = te.read %C[%z_1] : f32
      %r1 = te.read %C[%z_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %D : tensor<14xf32>
}

// CHECK-LABEL: te.func @two
// CHECK-NEXT:   %D = schedule.stage "D" (%z = 14) : tensor<14xf32>
// CHECK-NEXT:     %zo, %zi = schedule.split %z factor 7
// CHECK-NEXT:     schedule.order %zo, %zi
// CHECK-NEXT:     schedule.region [0 : 14]
// CHECK-NEXT:     schedule.range %zo = 0 to 2
// CHECK-NEXT:     schedule.range %zi = 0 to 7
// CHECK-NEXT:     schedule.range %z = 0 to 14
// CHECK-NEXT:     schedule.value %z = %zo * 7 + %zi
// CHECK-NEXT:     %B = schedule.stage "B" at %zo (%x = 18) : tensor<18xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%zo * 7 : 11]
// CHECK-NEXT:       schedule.range %x = %zo * 7 to %zo * 7 + 11
// CHECK:          %C = schedule.stage "C" at %zo (%y = 16) : tensor<16xf32>
// CHECK-NEXT:       schedule.order %y
// CHECK-NEXT:       schedule.region [%zo * 7 : 9]
// CHECK-NEXT:       schedule.range %y = %zo * 7 to %zo * 7 + 9
