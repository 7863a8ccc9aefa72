// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// The loops outside become the axes of an extern, whose body is the loops inside; the init part is
// apart, because a reduce axis is outside. A stage that is computed outside stays at its axis, and
// later commands work on the axes of blocks.
// CHECK-LABEL: te.func @product
// CHECK: %C = schedule.stage "C" (%io = 4, %jo = 3) reduce (%ko = 4) : tensor<16x24xf32> {
// CHECK-NEXT: schedule.split %jo factor 2
// CHECK-NEXT: schedule.order %io parallel, %jbo, %jbi, %ko
// CHECK: schedule.stage "P" at %io
// CHECK: schedule.extern (%io_1, %jo_1, %ko_1) (%C_1: tensor<16x24xf32>) {
// CHECK-NEXT: te.buffer %C_1[%io_1 * 4 : 4, %jo_1 * 8 : 8] : memref<4x8xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT: te.buffer %P[%io_1 * 4 : 4, %ko_1 * 3 : 3]
// CHECK-NEXT: te.buffer %B[%ko_1 * 3 : 3, %jo_1 * 8 : 8]
// CHECK-NEXT: loop.for %ii = 0 to 4 {
// CHECK-NEXT: loop.for %ji = 0 to 8 unrolled {
// CHECK-NEXT: loop.for %ki = 0 to 3 {
// CHECK: } init (%io_2, %jo_2, %C_2) {
te.func @product(%A: tensor<16x12xf32>, %B: tensor<12x24xf32>) -> (tensor<16x24xf32>) {
  %P = te.compute "P" (%i = 16, %k = 12) : tensor<16x12xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 16, %j = 24) reduce (%k = 12) : tensor<16x24xf32> {
    %a = te.read %P[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<16x24xf32>
}
schedule.sequence @s on @product {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 8
  %ko, %ki = schedule.split %k factor 3
  schedule.reorder %io, %jo, %ko, %ii, %ji, %ki
  schedule.unroll %ji
  %P = schedule.get "P"
  schedule.compute_at %P, %C, %io
  schedule.blockize %ii
  schedule.parallel %io
  %ib, %jb, %kb = schedule.axes 3 of %C
  %jbo, %jbi = schedule.split %jb factor 2
}

// A size that is a multiple of the factor; neighbours are in the box of a block, and a position
// along the axis is one of the tensor.
// CHECK-LABEL: te.func @neighbours
// CHECK: schedule.stage "C" (%io = %n) : tensor<?xf32> {
// CHECK: te.buffer %A[%io_1 * 8 : 8] : memref<8xf32, strided<[?], offset: ?>>
// CHECK-NEXT: te.buffer %A[%io_1 * 8 + 2 : 8] : memref<8xf32, strided<[?], offset: ?>>
// CHECK-NEXT: loop.for %ii = 0 to 8 {
te.func @neighbours(%n: index, %A: tensor<?xf32>[%n * 8 + 2]) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n * 8) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    %b = te.read %A[%i + 2] : f32
    %c = arith.addf %a, %b : f32
    te.yield %c : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @t on @neighbours {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 8
  schedule.blockize %ii
}
