// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// The reads of the program go the other way.
// CHECK: error: apply-schedule: after: no order is left, as "P" reads "B", "C" reads "P", "B" is to run after "C"
te.func @reads(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %P = te.compute "P" (%i = 8) : tensor<8xf32> {
    %a = te.read %B[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %P[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @reads {
  %B = schedule.get "B"
  %C = schedule.get "C"
  schedule.after %B, %C
}

// -----

// CHECK: error: apply-schedule: after of "B", "C": axis i belongs to "D"
te.func @owner(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C, %D : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @owner {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i = schedule.axes 1 of %D
  schedule.after %B, %C at %i
}
