// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,match-intrinsics | filecheck %s

// All tiles are whole, and the reduction is inside: the body runs, and no loop.
// CHECK-LABEL: te.func @whole
// CHECK: schedule.code fills %ii from [%ii = 0, %ji = 0, %k = 0] (%i_1, %j_1, %k_1) (%out: tensor<8x12xf32>) {
// CHECK-NEXT: te.buffer %A[%i_1 : 4, 0 : 8]
// CHECK-NEXT: te.buffer %B[0 : 8, %j_1 : 4]
// CHECK-NEXT: te.buffer %out[%i_1 : 4, %j_1 : 4]
// CHECK-NEXT: }
// CHECK-NEXT: schedule.equation
te.func @whole(%A: tensor<8x8xf32>, %B: tensor<8x12xf32>) -> (tensor<8x12xf32>) {
  %C = te.compute "C" (%i = 8, %j = 12) reduce (%k = 8) : tensor<8x12xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x12xf32>
}
schedule.sequence @s on @whole {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  schedule.tensorize %ii by @gemm
}
te.intrinsic @gemm (%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  %z = te.compute "z" (%i = 4, %j = 4) reduce (%k = 8) : tensor<4x4xf32> {
    %0 = te.read %x[%i, %k] : f32
    %1 = te.read %y[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%s: f32, %t: f32) identity [0.0 : f32] {
    %0 = arith.addf %s, %t : f32
    te.yield %0 : f32
  }
  %body = te.extern "body" (%out: tensor<4x4xf32>) {
    %a = te.buffer %x[0 : 4, 0 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
    %b = te.buffer %y[0 : 8, 0 : 4] : memref<8x4xf32, strided<[?, 1], offset: ?>>
    %c = te.buffer %out[0 : 4, 0 : 4] : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
  %update = te.extern "update" (%out: tensor<4x4xf32>) {
    %a = te.buffer %x[0 : 4, 0 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
    %b = te.buffer %y[0 : 8, 0 : 4] : memref<8x4xf32, strided<[?, 1], offset: ?>>
    %c = te.buffer %out[0 : 4, 0 : 4] factor 4 : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
  %reset = te.extern "reset" (%out: tensor<4x4xf32>) {
    %c = te.buffer %out[0 : 4, 0 : 4] : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
}

// -----

// The reduction goes on around the tile: a reset in front, and an update in each iteration. The last
// tiles are smaller; the factor that the buffer demands goes on.
// CHECK-LABEL: te.func @parts
// CHECK: schedule.code resets %ii from [%ii = 0, %ji = 0] when (%m - %jo * 4 - 4 >= 0, %n - %io * 4 - 4 >= 0) (%i_1, %j_1) (%out: tensor<?x?xf32>[%n, %m]) {
// CHECK-NEXT: te.buffer %out[%i_1 : 4, %j_1 : 4] :
// CHECK: schedule.code updates %ii from [%ii = 0, %ji = 0, %ki = 0] when (%m - %jo * 4 - 4 >= 0, %n - %io * 4 - 4 >= 0, %p - %ko * 8 - 8 >= 0) (%i_2, %j_2, %k_1)
// CHECK: te.buffer %out_1[%i_2 : 4, %j_2 : 4] factor 4 :
te.func @parts(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @parts {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.reorder %io, %jo, %ko, %ii, %ji, %ki
  schedule.tensorize %ii by @gemm
}
te.intrinsic @gemm (%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  %z = te.compute "z" (%i = 4, %j = 4) reduce (%k = 8) : tensor<4x4xf32> {
    %0 = te.read %x[%i, %k] : f32
    %1 = te.read %y[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%s: f32, %t: f32) identity [0.0 : f32] {
    %0 = arith.addf %s, %t : f32
    te.yield %0 : f32
  }
  %body = te.extern "body" (%out: tensor<4x4xf32>) {
    %a = te.buffer %x[0 : 4, 0 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
    %b = te.buffer %y[0 : 8, 0 : 4] : memref<8x4xf32, strided<[?, 1], offset: ?>>
    %c = te.buffer %out[0 : 4, 0 : 4] : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
  %update = te.extern "update" (%out: tensor<4x4xf32>) {
    %a = te.buffer %x[0 : 4, 0 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
    %b = te.buffer %y[0 : 8, 0 : 4] : memref<8x4xf32, strided<[?, 1], offset: ?>>
    %c = te.buffer %out[0 : 4, 0 : 4] factor 4 : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
  %reset = te.extern "reset" (%out: tensor<4x4xf32>) {
    %c = te.buffer %out[0 : 4, 0 : 4] : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
}

// -----

// Several loops of an axis make the tile.
// CHECK-LABEL: te.func @several_loops
// CHECK: schedule.code fills %iio from [%iio = 0, %iii = 0, %ji = 0, %k = 0] (
te.func @several_loops(%A: tensor<8x8xf32>, %B: tensor<8x12xf32>) -> (tensor<8x12xf32>) {
  %C = te.compute "C" (%i = 8, %j = 12) reduce (%k = 8) : tensor<8x12xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x12xf32>
}
schedule.sequence @s on @several_loops {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %iio, %iii = schedule.split %ii factor 2
  schedule.tensorize %iio by @gemm
}
te.intrinsic @gemm (%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  %z = te.compute "z" (%i = 4, %j = 4) reduce (%k = 8) : tensor<4x4xf32> {
    %0 = te.read %x[%i, %k] : f32
    %1 = te.read %y[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%s: f32, %t: f32) identity [0.0 : f32] {
    %0 = arith.addf %s, %t : f32
    te.yield %0 : f32
  }
  %body = te.extern "body" (%out: tensor<4x4xf32>) {
    %a = te.buffer %x[0 : 4, 0 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
    %b = te.buffer %y[0 : 8, 0 : 4] : memref<8x4xf32, strided<[?, 1], offset: ?>>
    %c = te.buffer %out[0 : 4, 0 : 4] : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
  %update = te.extern "update" (%out: tensor<4x4xf32>) {
    %a = te.buffer %x[0 : 4, 0 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
    %b = te.buffer %y[0 : 8, 0 : 4] : memref<8x4xf32, strided<[?, 1], offset: ?>>
    %c = te.buffer %out[0 : 4, 0 : 4] factor 4 : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
  %reset = te.extern "reset" (%out: tensor<4x4xf32>) {
    %c = te.buffer %out[0 : 4, 0 : 4] : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
}

// -----

// A convolution is a sum of products of matrices; what each multiplies begins elsewhere.
// CHECK-LABEL: te.func @conv
// CHECK: schedule.code updates %xi
// CHECK-NEXT: te.buffer %A[%y_2 + %r_1 : 1, %s_1 + %x_2 : 4, 0 : 8]
// CHECK-NEXT: te.buffer %W[%r_1 : 1, %s_1 : 1, 0 : 8, 0 : 4]
// CHECK-NEXT: te.buffer %out_1[%y_2 : 1, %x_2 : 4, %f_2 : 4]
te.func @conv(%A: tensor<10x18x8xf32>, %W: tensor<3x3x8x4xf32>) -> (tensor<8x16x4xf32>) {
  %C = te.compute "C" (%y = 8, %x = 16, %f = 4) reduce (%r = 3, %s = 3, %c = 8) : tensor<8x16x4xf32> {
    %a = te.read %A[%y + %r, %s + %x, %c] : f32
    %b = te.read %W[%r, %s, %c, %f] : f32
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %y, %x : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x16x4xf32>
}
schedule.sequence @s on @conv {
  %C = schedule.get "C"
  %y, %x, %f, %r, %s, %c = schedule.axes 6 of %C
  %xo, %xi = schedule.split %x factor 4
  schedule.reorder %y, %xo, %r, %s, %xi, %f, %c
  schedule.tensorize %xi by @gemm
}
te.intrinsic @gemm (%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  %z = te.compute "z" (%i = 4, %j = 4) reduce (%k = 8) : tensor<4x4xf32> {
    %0 = te.read %x[%i, %k] : f32
    %1 = te.read %y[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%s: f32, %t: f32) identity [0.0 : f32] {
    %0 = arith.addf %s, %t : f32
    te.yield %0 : f32
  }
  %body = te.extern "body" (%out: tensor<4x4xf32>) {
    %a = te.buffer %x[0 : 4, 0 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
    %b = te.buffer %y[0 : 8, 0 : 4] : memref<8x4xf32, strided<[?, 1], offset: ?>>
    %c = te.buffer %out[0 : 4, 0 : 4] : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
  %update = te.extern "update" (%out: tensor<4x4xf32>) {
    %a = te.buffer %x[0 : 4, 0 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
    %b = te.buffer %y[0 : 8, 0 : 4] : memref<8x4xf32, strided<[?, 1], offset: ?>>
    %c = te.buffer %out[0 : 4, 0 : 4] factor 4 : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
  %reset = te.extern "reset" (%out: tensor<4x4xf32>) {
    %c = te.buffer %out[0 : 4, 0 : 4] : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
}

// -----

// A stage that is computed in tiles of another one, of which each is the tile of an intrinsic.
// CHECK-LABEL: te.func @at_its_place
// CHECK: schedule.code fills %i.c from [%i.c = %io * 4, %j.c = %jo * 4, %k = 0] when (%m - %jo * 4 - 4 >= 0, %n - %io * 4 - 4 >= 0) (
te.func @at_its_place(%n: index, %m: index, %A: tensor<?x8xf32>[%n, 8], %B: tensor<8x?xf32>[8, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = 8) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @at_its_place {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %CL = schedule.cache_write %C "local"
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  schedule.compute_at %CL, %C, %jo
  %ic, %jc, %kc = schedule.axes 3 of %CL
  schedule.tensorize %ic by @gemm
}
te.intrinsic @gemm (%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  %z = te.compute "z" (%i = 4, %j = 4) reduce (%k = 8) : tensor<4x4xf32> {
    %0 = te.read %x[%i, %k] : f32
    %1 = te.read %y[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%s: f32, %t: f32) identity [0.0 : f32] {
    %0 = arith.addf %s, %t : f32
    te.yield %0 : f32
  }
  %body = te.extern "body" (%out: tensor<4x4xf32>) {
    %a = te.buffer %x[0 : 4, 0 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
    %b = te.buffer %y[0 : 8, 0 : 4] : memref<8x4xf32, strided<[?, 1], offset: ?>>
    %c = te.buffer %out[0 : 4, 0 : 4] : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
  %update = te.extern "update" (%out: tensor<4x4xf32>) {
    %a = te.buffer %x[0 : 4, 0 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
    %b = te.buffer %y[0 : 8, 0 : 4] : memref<8x4xf32, strided<[?, 1], offset: ?>>
    %c = te.buffer %out[0 : 4, 0 : 4] factor 4 : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
  %reset = te.extern "reset" (%out: tensor<4x4xf32>) {
    %c = te.buffer %out[0 : 4, 0 : 4] : memref<4x4xf32, strided<[?, 1], offset: ?>>
  }
}

// -----

// An axis that is shorter than that of the intrinsic has no whole tile: its loops run.
// CHECK-LABEL: te.func @short
// CHECK: schedule.range %i = 0 to 3
// CHECK-NOT: schedule.code
// CHECK-NOT: schedule.tensorized
// CHECK: te.return
te.func @short(%A: tensor<3xf32>) -> (tensor<3xf32>) {
  %C = te.compute "C" (%i = 3) : tensor<3xf32> {
    %a = te.read %A[%i] : f32
    %b = arith.negf %a : f32
    te.yield %b : f32
  }
  te.return %C : tensor<3xf32>
}
schedule.sequence @s on @short {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.tensorize %i by @negate4
}
te.intrinsic @negate4 (%x: tensor<4xf32>) {
  %z = te.compute "z" (%i = 4) : tensor<4xf32> {
    %0 = te.read %x[%i] : f32
    %1 = arith.negf %0 : f32
    te.yield %1 : f32
  }
  %body = te.extern "body" (%out: tensor<4xf32>) {
  }
}
