// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// Of a split, the outer axis is parallel, the inner one vectorized, and both are unrolled.
// CHECK-LABEL: te.func @split
// CHECK: schedule.order %io parallel, %ii, %jo unrolled, %ji unrolled, %ko, %ki vectorized
te.func @split(%A: tensor<12x8x16xf32>) -> (tensor<12x8x16xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8, %k = 16) : tensor<12x8x16xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8x16xf32>
}
schedule.sequence @s on @split {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  schedule.parallel %i
  schedule.unroll %j
  schedule.vectorize %k
  %io, %ii = schedule.split %i factor 4
  %jo, %ji = schedule.split %j nparts 2
  %ko, %ki = schedule.split %k factor 8
}

// -----

// Axes of one kind make an axis of that kind, and so do parallel and serial ones.
// CHECK-LABEL: te.func @joined
// CHECK: schedule.order %f parallel_dynamic, %s vectorized
te.func @joined(%A: tensor<12x8x16x4xf32>) -> (tensor<12x8x16x4xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8, %k = 16, %l = 4) : tensor<12x8x16x4xf32> {
    %a = te.read %A[%i, %j, %k, %l] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8x16x4xf32>
}
schedule.sequence @s on @joined {
  %C = schedule.get "C"
  %i, %j, %k, %l = schedule.axes 4 of %C
  schedule.parallel %i chunk "dynamic"
  schedule.vectorize %k
  schedule.vectorize %l
  %f = schedule.fuse %i, %j
  %kl = schedule.fuse %k, %l
  %r = schedule.reverse %kl
  %s = schedule.shift %r by 3
}
