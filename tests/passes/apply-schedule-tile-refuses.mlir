// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: tile of axis j by 0: a factor must be at least 1
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
  %a, %b, %c, %d = schedule.tile %i, %j by 4, 0
}

// -----

// CHECK: error: tile names axis i twice
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
  %a, %b, %c, %d = schedule.tile %i, %i by 4, 4
}

// -----

// CHECK: error: apply-schedule: axis j of stage "C" is threadIdx.x; split it before that
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
  schedule.bind %j "threadIdx.x"
  %a, %b, %c, %d = schedule.tile %i, %j by 4, 4
}

// -----

// CHECK: error: apply-schedule: tile names axis n, which is no axis of stage "C" but of "D"
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  %a, %b, %c, %d = schedule.tile %i, %n by 4, 4
}

// -----

// The axes are gone after it.
// CHECK: error: axis j was consumed by tile; use a, b, c, d
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
  %a, %b, %c, %d = schedule.tile %i, %j by 4, 4
  schedule.vectorize %j
}
