// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// The first iteration of k has folded by then.
// CHECK: error: apply-schedule: cannot start the reduction of "C" at axis j: it is inside of k, whose first iteration folds into what the init part sets; legal axes: i, k
te.func @mm(%A: tensor<8x4xf32>, %B: tensor<4x6xf32>) -> (tensor<8x6xf32>) {
  %C = te.compute "C" (%i = 8, %j = 6) reduce (%k = 4) : tensor<8x6xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x6xf32>
}
schedule.sequence @s on @mm {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  schedule.decompose_reduction %j
  schedule.reorder %k, %j
}

// -----

// Nothing folds.
// CHECK: error: apply-schedule: cannot start the reduction of "B" at axis i: that stage is no reduction
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.decompose_reduction %i
}

// -----

// The init part reads what is computed in the loop in front of which it runs.
// CHECK: error: apply-schedule: cannot compute "B" at axis i of "C": the init region of "C" reads it before that loop; legal places: the root
te.func @f(%A: tensor<8x4xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i, 0] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } init (%p) {
    %b = te.read %B[%p] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %i
  schedule.decompose_reduction %i
}
