// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The stage says in which loop it is stored; the later of two commands counts.
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
  %yo, %yi = schedule.split %y factor 8
  schedule.compute_at %B, %C, %yi
  schedule.store_at %B, %C, %yi
  schedule.store_at %B, %C, %yo
}

// CHECK-LABEL: te.func @kept
// CHECK:         %B = schedule.stage "B" at %yi stored at %yo
// CHECK-NEXT:      schedule.order %i, %j

// -----

// When the axis is consumed, the stage is stored in the loop that takes its place.
te.func @consumed(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @s on @consumed {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %x
  schedule.store_at %B, %C, %y
  %yo, %yi = schedule.split %y factor 8
}

// CHECK-LABEL: te.func @consumed
// CHECK:         schedule.order %yo, %yi, %x
// CHECK:         %B = schedule.stage "B" at %x stored at %yi

// -----

// The place may come after the command, and a loop further out may run in parallel.
te.func @before(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @s on @before {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.store_at %B, %C, %y
  schedule.compute_at %B, %C, %x
  schedule.parallel %y
}

// CHECK-LABEL: te.func @before
// CHECK:         schedule.order %y parallel, %x
// CHECK:         %B = schedule.stage "B" at %x stored at %y
