// RUN: not teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds,check-schedule' 2>&1 | filecheck %s

// A thread does not find what others are about to compute.
// CHECK: error: check-schedule: stage "C" at [2, 0] reads B[2, 0], at (y = 2, x = 0); the equations compute B[2, 0] before, the schedule at (y = 0, x = 0), and iterations of y, which is threadIdx.x, have no order
te.func @thread(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 66, %j = 64) : tensor<66x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %0 = te.read %B[%y, %x] : f32
    %1 = te.read %B[%y + 2, %x] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @thread {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.bind %y "threadIdx.x"
  schedule.compute_at %B, %C, %x
  schedule.store_root %B
}
