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

// -----

// Where it is not known which rows threads compute, one may need those of another.
// CHECK: error: check-schedule: it is not proved that stage "C" finds what "B" writes: an extent of a fused or split axis of "C" is symbolic; "B" is stored outside of fo, whose iterations, as it is blockIdx.x, have no order
te.func @unknown(%m: index, %n: index, %A: tensor<?x?xf32>[%m, %n]) -> (tensor<?x?xf32>) {
  %B = te.compute "B" (%i = %m, %j = %n) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = %m, %x = %n) : tensor<?x?xf32> {
    %0 = te.read %B[%y, %x] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @unknown {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %f = schedule.fuse %y, %x
  %fo, %fi = schedule.split %f factor 4
  schedule.bind %fo "blockIdx.x"
  schedule.compute_at %B, %C, %fi
  schedule.store_root %B
}
