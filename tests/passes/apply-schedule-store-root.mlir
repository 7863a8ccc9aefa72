// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The stage says that it is stored at the root.
te.func @kept(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @s on @kept {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %x
  schedule.store_root %B
}

// CHECK-LABEL: te.func @kept
// CHECK:         %B = schedule.stage "B" at %x stored at root
// CHECK-NEXT:      schedule.order %i, %j
