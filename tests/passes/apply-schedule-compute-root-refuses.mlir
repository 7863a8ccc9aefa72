// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// A stage that was inlined is gone.
// CHECK: error: apply-schedule: stage "B" was inlined before, and has no loops
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
  schedule.compute_inline %B
  schedule.compute_root %B
}
