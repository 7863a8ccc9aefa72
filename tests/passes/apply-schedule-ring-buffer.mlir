// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// The number of copies stays with the stage; the last command counts.
// CHECK: %B = schedule.stage "B" at %i ring_buffered 4 (
// CHECK: %C = schedule.stage "C" at %i double_buffered (
te.func @copies(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 12) : tensor<12xf32> {
    %b = te.read %B[%i] : f32
    %c = te.read %C[%i] : f32
    %d = arith.addf %b, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<12xf32>
}
schedule.sequence @s on @copies {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i = schedule.axes 1 of %D
  schedule.compute_at %B, %D, %i
  schedule.compute_at %C, %D, %i
  schedule.double_buffer %B
  schedule.ring_buffer %B copies 4
  schedule.ring_buffer %C copies 2
}
