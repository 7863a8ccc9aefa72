// RUN: not teloom-opt %s --split-input-file -p apply-schedule,infer-bounds 2>&1 | filecheck %s

// Three rows are needed at the same time.
// CHECK: error: infer-bounds: cannot fold axis i of "B" by 2: B[0, 0] and B[2, 0] would share memory, and both are needed at the same time; the smallest factor is 3
te.func @too_small(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @s on @too_small {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %i, %j = schedule.axes 2 of %B
  schedule.compute_at %B, %C, %y
  schedule.store_root %B
  schedule.fold_storage %i factor 2
}

// -----

// A whole row of any length is needed at the same time.
// CHECK: error: infer-bounds: cannot fold axis j of "B" by 8: B[0, 0] and B[0, 8] would share memory, and both are needed at the same time (here n = 9); no factor is large enough
te.func @unbounded(%n: index, %A: tensor<66x?xf32>[66, %n]) -> (tensor<66x?xf32>) {
  %B = te.compute "B" (%i = 66, %j = %n) : tensor<66x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 66, %x = %n) : tensor<66x?xf32> {
    %0 = te.read %B[%y, %x] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<66x?xf32>
}
schedule.sequence @s on @unbounded {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %i, %j = schedule.axes 2 of %B
  schedule.compute_at %B, %C, %y
  schedule.store_root %B
  schedule.fold_storage %j factor 8
}
