// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: apply-schedule: fission of axis j: no stage shares its loop with "B"
te.func @alone(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8x8xf32>, tensor<8x8xf32>
}
schedule.sequence @s on @alone {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %B
  schedule.compute_with %C, %B, %i
  schedule.fission %j
}
