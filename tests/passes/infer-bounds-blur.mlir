// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// A tile of 32 x 32 needs 34 x 32 elements of bx; the last tiles have 2 rows and 6 columns.
te.func @blur(%A: tensor<100x200xf32>) -> (tensor<98x198xf32>) {
  %by = schedule.stage "by" (%i = 98, %j = 198) : tensor<98x198xf32> {
    %io, %ii = schedule.split %i factor 32
    %jo, %ji = schedule.split %j factor 32
    schedule.order %io, %jo, %ii, %ji
    %bx = schedule.stage "bx" at %jo (%bi = 100, %bj = 198) : tensor<100x198xf32> {
      schedule.order %bi, %bj
      schedule.equation (%bi_1, %bj_1) {
        %r0 = te.read %A[%bi_1, %bj_1] : f32
        %r1 = te.read %A[%bi_1, %bj_1 + 1] : f32
        %r2 = te.read %A[%bi_1, %bj_1 + 2] : f32
        %t1 = arith.addf %r0, %r1 : f32
        %t2 = arith.addf %t1, %r2 : f32
        te.yield %t2 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %bx[%i_1, %j_1] : f32
      %r1 = te.read %bx[%i_1 + 1, %j_1] : f32
      %r2 = te.read %bx[%i_1 + 2, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      te.yield %t2 : f32
    }
  }
  te.return %by : tensor<98x198xf32>
}

// CHECK-LABEL: te.func @blur
// CHECK-NEXT:   %by = schedule.stage "by" (%i = 98, %j = 198) : tensor<98x198xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 32
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 32
// CHECK-NEXT:     schedule.order %io, %jo, %ii, %ji
// CHECK-NEXT:     schedule.region [0 : 98, 0 : 198]
// CHECK-NEXT:     schedule.range %io = 0 to 4
// CHECK-NEXT:     schedule.range %jo = 0 to 7
// CHECK-NEXT:     schedule.range %ii = 0 to min(32, %io * -32 + 98)
// CHECK-NEXT:     schedule.range %ji = 0 to min(32, %jo * -32 + 198)
// CHECK-NEXT:     schedule.range %i = 0 to 98
// CHECK-NEXT:     schedule.range %j = 0 to 198
// CHECK-NEXT:     schedule.value %j = %jo * 32 + %ji
// CHECK-NEXT:     schedule.value %i = %io * 32 + %ii
// CHECK-NEXT:     %bx = schedule.stage "bx" at %jo (%bi = 100, %bj = 198) : tensor<100x198xf32>
// CHECK-NEXT:       schedule.order %bi, %bj
// CHECK-NEXT:       schedule.region [%io * 32 : 34, %jo * 32 : 32]
// CHECK-NEXT:       schedule.range %bi = %io * 32 to min(100, %io * 32 + 34)
// CHECK-NEXT:       schedule.range %bj = %jo * 32 to min(198, %jo * 32 + 32)
