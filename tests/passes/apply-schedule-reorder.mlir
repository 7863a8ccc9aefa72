// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The axes named go to the positions that they hold, in the order named.
te.func @swap(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @swap {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.reorder %j, %i
}

// CHECK-LABEL: te.func @swap
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %j, %i

// -----

// An axis that is not named stays where it is.
te.func @stays(%A: tensor<4x3x4xf32>) -> (tensor<4x3x4xf32>) {
  %C = te.compute "C" (%i = 4, %j = 3, %k = 4) : tensor<4x3x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<4x3x4xf32>
}
schedule.sequence @s on @stays {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  schedule.reorder %k, %i
}

// CHECK-LABEL: te.func @stays
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 4, %j = 3, %k = 4) : tensor<4x3x4xf32>
// CHECK-NEXT:     schedule.order %k, %j, %i

// -----

// A kind goes with its axis.
te.func @kinds(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @kinds {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.parallel %i
  schedule.reorder %j, %i
}

// CHECK-LABEL: te.func @kinds
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %j, %i parallel

// -----

// To name one axis changes nothing.
te.func @nothing(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @nothing {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.reorder %j
}

// CHECK-LABEL: te.func @nothing
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %i, %j
