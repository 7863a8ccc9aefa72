// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: apply-schedule: cannot double-buffer "B": it is an output, which the caller stores once
te.func @output(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%x = 8) : tensor<8xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<8xf32>
}
schedule.sequence @s on @output {
  %B = schedule.get "B"
  schedule.double_buffer %B
}

// -----

// CHECK: error: apply-schedule: cannot double-buffer "B": it is computed at the root, where no loop has a next iteration; compute_at gives it one
te.func @root(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%x = 8) : tensor<8xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @root {
  %B = schedule.get "B"
  schedule.double_buffer %B
}

// -----

// CHECK: error: apply-schedule: cannot double-buffer "B": the loop around it, C.i, is parallel; it must be serial
te.func @parallel(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%x = 8) : tensor<8xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @parallel {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_at %B, %C, %i
  schedule.parallel %i
  schedule.double_buffer %B
}
