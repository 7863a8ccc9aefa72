// RUN: not teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,build-loops 2>&1 | filecheck %s

// CHECK: error: apply-schedule: axis i belonged to a stage that was inlined
te.func @inlined(%A: tensor<12xf32>) -> (tensor<12xf32>) {
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
schedule.sequence @s on @inlined {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.compute_inline %B
  schedule.separate_at %i at 2
}

// -----

// CHECK: error: build-loops: axis i is separated at 2, and then other commands make it no loop any more; loops of "C": io, ii
te.func @split_later(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @split_later {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.separate_at %i at 2
  %io, %ii = schedule.split %i factor 4
}
