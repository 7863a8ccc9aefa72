// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// Of this axis alone it only reads an element.
// CHECK: error: apply-schedule: cannot precompute parts of "C" over k, j: its equation computes nothing of these alone
te.func @f(%A: tensor<8x4xf32>, %B: tensor<4x8xf32>) -> (tensor<8x8xf32>) {
  %C = te.compute "C" (%i = 8, %j = 8) reduce (%k = 4) : tensor<8x8xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = math.exp %a : f32
    %b = te.read %B[%k, %j] : f32
    %p = arith.mulf %x, %b : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %E = schedule.precompute %C, %k, %j
}

// -----

// An axis of the new stage does not end where another one says.
// CHECK: error: apply-schedule: cannot precompute parts of "C" over i, k: the bounds of k are over other axes
te.func @f(%A: tensor<8x4xf32>, %B: tensor<4x8xf32>) -> (tensor<8x8xf32>) {
  %C = te.compute "C" (%i = 8, %j = 8) reduce (%k = 0 to %i + 1) : tensor<8x8xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = math.exp %a : f32
    %b = te.read %B[%k, %j] : f32
    %p = arith.mulf %x, %b : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %E = schedule.precompute %C, %i, %k
}

// -----

// Elements of a tensor count from 0.
// CHECK: error: apply-schedule: cannot precompute parts of "C" over i, k: k may begin below 0
te.func @f(%A: tensor<8x4xf32>, %B: tensor<4x8xf32>) -> (tensor<8x8xf32>) {
  %C = te.compute "C" (%i = 8, %j = 8) reduce (%k = -1 to 4) : tensor<8x8xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = math.exp %a : f32
    %b = te.read %B[%k, %j] : f32
    %p = arith.mulf %x, %b : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %E = schedule.precompute %C, %i, %k
}

// -----

// A loop is no axis of an equation.
// CHECK: error: apply-schedule: cannot precompute parts of "C" over ko, ki: ko is no axis of its equation; those are i, j, k
te.func @f(%A: tensor<8x4xf32>, %B: tensor<4x8xf32>) -> (tensor<8x8xf32>) {
  %C = te.compute "C" (%i = 8, %j = 8) reduce (%k = 4) : tensor<8x8xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = math.exp %a : f32
    %b = te.read %B[%k, %j] : f32
    %p = arith.mulf %x, %b : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %ko, %ki = schedule.split %k factor 2
  %E = schedule.precompute %C, %ko, %ki
}
