// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// A stage that stands inside another moves out again.
te.func @out(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @out {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %i
  schedule.compute_root %B
}

// CHECK-LABEL: te.func @out
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 12, %y = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %x, %y
// CHECK:        %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %i, %j

// -----

// At the root the command changes nothing.
te.func @there(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @there {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_root %B
  schedule.compute_root %C
}

// CHECK-LABEL: te.func @there
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 12, %y = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %x, %y
// CHECK:        %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %i, %j

// -----

// A stage takes those along that are computed inside it, and stands before all stages around it.
te.func @nested(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12) : tensor<12xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%z = 12) : tensor<12xf32> {
    %c = te.read %C[%z] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<12xf32>
}
schedule.sequence @s on @nested {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  %D = schedule.get "D"
  %z = schedule.axes 1 of %D
  schedule.compute_at %C, %D, %z
  schedule.compute_at %B, %C, %y
  schedule.compute_root %C
}

// CHECK-LABEL: te.func @nested
// CHECK-NEXT:   %C = schedule.stage "C" (%y = 12) : tensor<12xf32>
// CHECK-NEXT:     schedule.order %y
// CHECK-NEXT:     %B = schedule.stage "B" at %y (%x = 12) : tensor<12xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK:        %D = schedule.stage "D" (%z = 12) : tensor<12xf32>
// CHECK-NEXT:     schedule.order %z
