// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// It is stored one loop further out, and folded along all axes.
te.func @one_out(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @s on @one_out {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %x
  schedule.rolling_buffer %B
}

// CHECK-LABEL: te.func @one_out
// CHECK:         %B = schedule.stage "B" at %x stored at %y folded axis 0, axis 1 (%i = 66, %j = 64)
// CHECK-NEXT:      schedule.order %i, %j

// -----

// From the outermost loop, to the root.
te.func @to_the_root(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @s on @to_the_root {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %y
  schedule.rolling_buffer %B
}

// CHECK-LABEL: te.func @to_the_root
// CHECK:         %B = schedule.stage "B" at %y stored at root folded axis 0, axis 1 (%i = 66, %j = 64)
