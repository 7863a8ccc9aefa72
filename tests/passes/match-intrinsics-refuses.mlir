// RUN: not teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,match-intrinsics 2>&1 | filecheck %s

// Another op.
// CHECK: error: match-intrinsics: cannot tensorize axis ii of "C" by @gemm: it computes addf(B[k, j], A[i, k]) where @gemm computes mulf(x[i, k], y[k, j])
te.func @another_op(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.addf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @another_op {
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

// A transposed matrix: the buffer would have its axes the other way round.
// CHECK: error: match-intrinsics: cannot tensorize axis ii of "C" by @gemm: it computes B[j, k] where @gemm computes y[k, j]
te.func @transposed(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%m, %p]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%j, %k] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @transposed {
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

// Every second row.
// CHECK: error: match-intrinsics: cannot tensorize axis ii of "C" by @gemm: it computes A[i * 2, k] where @gemm computes x[i, k]
te.func @strided(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n * 2, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i * 2, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @strided {
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

// Another combination, and another identity.
// CHECK: error: match-intrinsics: cannot tensorize axis ii of "C" by @gemm: it starts from [1.000000e+00 : f32], the intrinsic from [0.000000e+00 : f32]
te.func @product(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [1.0 : f32] {
    %s = arith.mulf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @product {
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

// The same identity, but another combination.
// CHECK: error: match-intrinsics: cannot tensorize axis ii of "C" by @gemm: it computes maximumf(x, y) where @gemm computes addf(s, t)
te.func @largest(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.maximumf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @largest {
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

// A tile of other extents.
// CHECK: error: match-intrinsics: cannot tensorize axis ii of "C" by @gemm: the loop of ji has 6 iterations, that of the intrinsic 4
te.func @extents(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
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
schedule.sequence @s on @extents {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 6
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

// The only rows are shifted into two tiles.
// CHECK: error: match-intrinsics: cannot tensorize axis ii of "C" by @gemm: no tile of 4 x 4 x 8 is whole, in any iteration of io, jo, ko
te.func @never_whole(%A: tensor<4x8xf32>, %B: tensor<8x8xf32>) -> (tensor<4x8xf32>) {
  %C = te.compute "C" (%i = 4, %j = 8) reduce (%k = 8) : tensor<4x8xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<4x8xf32>
}
schedule.sequence @s on @never_whole {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %is = schedule.shift %i by 2
  %io, %jo, %ii, %ji = schedule.tile %is, %j by 4, 4
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

// Steps of a reversed loop go down.
// CHECK: error: match-intrinsics: cannot tensorize axis ir of "C" by @gemm: axis i advances by -1 in ir, which makes no tile of 4
te.func @reversed(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
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
schedule.sequence @s on @reversed {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  %ir = schedule.reverse %ii
  schedule.reorder %io, %jo, %ko, %ir, %ji, %ki
  schedule.tensorize %ir by @gemm
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

// Loops that are missing inside.
// CHECK: error: match-intrinsics: cannot tensorize axis ji of "C" by @gemm: the loops inside run over j, k of the axes i, j, k, those of @gemm over i, j, k; data axes are the last ones
te.func @missing(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
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
schedule.sequence @s on @missing {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.reorder %io, %jo, %ko, %ii, %ji, %ki
  schedule.tensorize %ji by @gemm
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

// A reduction around needs an update.
// CHECK: error: match-intrinsics: cannot tensorize axis ii of "C" by @gemm: it has no update, and ko, around it, reduces; give it a body, a reset and an update, or tensorize an axis outside of that
te.func @no_update(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
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
schedule.sequence @s on @no_update {
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
}

// -----

// No such intrinsic.
// CHECK: error: match-intrinsics: cannot tensorize axis ii of "C": no te.intrinsic is named @gem (intrinsics: gemm); did you mean 'gemm'?
te.func @unknown(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
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
schedule.sequence @s on @unknown {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.reorder %io, %jo, %ko, %ii, %ji, %ki
  schedule.tensorize %ii by @gem
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

// Its code would get elements that no loop reads, and that may not be there.
// CHECK: error: match-intrinsics: cannot tensorize axis ii of "C" by @gaps: its equation reads x from 0 to 6 along axis 0, which has 8 elements
te.func @with_gaps(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
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
schedule.sequence @s on @with_gaps {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.reorder %io, %jo, %ko, %ii, %ji, %ki
  schedule.tensorize %ii by @gaps
}
te.intrinsic @gaps (%x: tensor<8xf32>) {
  %z = te.compute "z" (%i = 4) : tensor<4xf32> {
    %0 = te.read %x[%i * 2] : f32
    te.yield %0 : f32
  }
  %body = te.extern "body" (%out: tensor<4xf32>) {
  }
}
