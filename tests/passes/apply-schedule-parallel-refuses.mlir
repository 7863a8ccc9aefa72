// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// What an extern does over a reduce axis declares no combiner.
// CHECK: error: apply-schedule: axis k of stage "C" is a reduce axis and cannot be parallel; data axes: i
te.func @f(%A: tensor<512xf32>) -> (tensor<128xf32>) {
  %C = te.extern "C" (%i = 8) reduce (%k = 4) (%c: tensor<128xf32>) {
    %0 = te.buffer %A[%i * 64 + %k * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
    %1 = te.buffer %c[%i * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
  } init (%p, %o) {
    %1 = te.buffer %o[%p * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
  }
  te.return %C : tensor<128xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  schedule.parallel %k
}

// -----

// CHECK: error: apply-schedule: axis i of stage "C" is unrolled already and cannot be parallel too
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.unroll %i
  schedule.parallel %i
}
