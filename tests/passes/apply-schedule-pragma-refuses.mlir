// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: axis i was consumed by split; use io, ii
te.func @f(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 4
  schedule.pragma %i "mine"
}
