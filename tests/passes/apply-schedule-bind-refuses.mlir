// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// Threads would fold into one element at the same time.
// CHECK: error: apply-schedule: axis k of stage "C" is a reduce axis and cannot be threadIdx.x; data axes: i
te.func @f(%A: tensor<9x4xf32>) -> (tensor<9xf32>) {
  %C = te.compute "C" (%i = 9) reduce (%k = 4) : tensor<9xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  schedule.bind %k "threadIdx.x"
}

// -----

// CHECK: error: apply-schedule: axis i of stage "C" is vectorized already and cannot be threadIdx.x too
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
  schedule.vectorize %i
  schedule.bind %i "threadIdx.x"
}

// -----

// CHECK: error: apply-schedule: axis i of stage "C" is blockIdx.x already and cannot be threadIdx.x too
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
  schedule.bind %i "blockIdx.x"
  schedule.bind %i "threadIdx.x"
}

// -----

// CHECK: error: apply-schedule: axis j of stage "C" cannot be threadIdx.x: axis i is; fuse the two, or use another thread axis
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
  schedule.bind %i "threadIdx.x"
  schedule.bind %j "threadIdx.x"
}

// -----

// CHECK: error: apply-schedule: axis i of stage "C" is threadIdx.x; split it before that
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
  schedule.bind %i "threadIdx.x"
  %io, %ii = schedule.split %i factor 4
}

// -----

// CHECK: error: apply-schedule: axis j of stage "C" is blockIdx.y; fuse it before that
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
  schedule.bind %j "blockIdx.y"
  %f = schedule.fuse %i, %j
}
