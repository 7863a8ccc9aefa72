// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// The caller's memory is where it is.
// CHECK: error: apply-schedule: cannot store "C" in "shared": it is an output, which the caller stores; legal: "global"
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.set_scope %C "shared"
}

// -----

// CHECK: error: apply-schedule: stage "B" was inlined before, and has no loops
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  schedule.compute_inline %B
  schedule.set_scope %B "shared"
}
