// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: apply-schedule: cannot ring-buffer "B": it is computed at the root, where no loop has a next iteration; compute_at gives it one
te.func @f(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  schedule.ring_buffer %B copies 3
}

// -----

// CHECK: error: apply-schedule: cannot ring-buffer "B": it is an output, which the caller stores once
te.func @output(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%x = 8) : tensor<8xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<8xf32>
}
schedule.sequence @s on @output {
  %B = schedule.get "B"
  schedule.ring_buffer %B copies 2
}
