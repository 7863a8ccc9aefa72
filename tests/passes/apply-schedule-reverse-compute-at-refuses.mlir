// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: reverse_compute_at of "C": "B" is complete only behind the loop of k, not in that of ii; legal places: B.io, B.jo
te.func @f(%A: tensor<32x17xf32>, %W: tensor<17x20xf32>) -> (tensor<20x32xf32>) {
  %B = te.compute "B" (%i = 32, %j = 20) reduce (%k = 17) : tensor<32x20xf32> {
    %0 = te.read %A[%i, %k] : f32
    %1 = te.read %W[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %C = te.compute "C" (%j = 20, %i = 32) : tensor<20x32xf32> {
    %0 = te.read %B[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<20x32xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i, %j, %k = schedule.axes 3 of %B
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 10
  schedule.reorder %io, %jo, %k, %ii, %ji
  schedule.parallel %io
  schedule.vectorize %ji
  %C = schedule.get "C"
  schedule.reverse_compute_at %C, %B, %ii
}

// -----

// CHECK: reverse_compute_at of "C": "B" is complete only behind the loop of k, not in that of k; legal places: B.io, B.jo
te.func @f(%A: tensor<32x17xf32>, %W: tensor<17x20xf32>) -> (tensor<20x32xf32>) {
  %B = te.compute "B" (%i = 32, %j = 20) reduce (%k = 17) : tensor<32x20xf32> {
    %0 = te.read %A[%i, %k] : f32
    %1 = te.read %W[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %C = te.compute "C" (%j = 20, %i = 32) : tensor<20x32xf32> {
    %0 = te.read %B[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<20x32xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i, %j, %k = schedule.axes 3 of %B
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 10
  schedule.reorder %io, %jo, %k, %ii, %ji
  schedule.parallel %io
  schedule.vectorize %ji
  %C = schedule.get "C"
  schedule.reverse_compute_at %C, %B, %k
}

// -----

// CHECK: reverse_compute_at of "C": j is vectorized; legal places: B.i
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i, %ji = schedule.axes 2 of %B
  schedule.vectorize %ji
  %C = schedule.get "C"
  schedule.reverse_compute_at %C, %B, %ji
}

// -----

// CHECK: reverse_compute_at of "C": its loops further in are ii, ji, not 1
te.func @f(%A: tensor<32x17xf32>, %W: tensor<17x20xf32>) -> (tensor<20x32xf32>) {
  %B = te.compute "B" (%i = 32, %j = 20) reduce (%k = 17) : tensor<32x20xf32> {
    %0 = te.read %A[%i, %k] : f32
    %1 = te.read %W[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %C = te.compute "C" (%j = 20, %i = 32) : tensor<20x32xf32> {
    %0 = te.read %B[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<20x32xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i, %j, %k = schedule.axes 3 of %B
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 10
  schedule.reorder %io, %jo, %k, %ii, %ji
  schedule.parallel %io
  schedule.vectorize %ji
  %C = schedule.get "C"
  %a = schedule.reverse_compute_at %C, %B, %jo inner 1
}

// -----

// CHECK: reverse_compute_at of "C": its producer is "B", not "C"
te.func @f(%A: tensor<32x17xf32>, %W: tensor<17x20xf32>) -> (tensor<20x32xf32>) {
  %B = te.compute "B" (%i = 32, %j = 20) reduce (%k = 17) : tensor<32x20xf32> {
    %0 = te.read %A[%i, %k] : f32
    %1 = te.read %W[%k, %j] : f32
    %2 = arith.mulf %0, %1 : f32
    te.yield %2 : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %C = te.compute "C" (%j = 20, %i = 32) : tensor<20x32xf32> {
    %0 = te.read %B[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<20x32xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i, %j, %k = schedule.axes 3 of %B
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 10
  schedule.reorder %io, %jo, %k, %ii, %ji
  schedule.parallel %io
  schedule.vectorize %ji
  %C = schedule.get "C"
  %p, %q = schedule.axes 2 of %C
  schedule.reverse_compute_at %C, %C, %p
}

// -----

// CHECK: reverse_compute_at of "C": it reads several elements of "B": [p, q], [p, q + 1]
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 9) : tensor<8x9xf32> {
    %0 = te.read %A[%i, 0] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = te.read %B[%p, %q + 1] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i, %j = schedule.axes 2 of %B
  %C = schedule.get "C"
  schedule.reverse_compute_at %C, %B, %i
}
