// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// Without a sequence a stage gets the order of its axes.
te.func @none(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: te.func @none
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %i, %j

// -----

// A sequence without commands does the same and is gone.
te.func @empty(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @empty {
  %C = schedule.get "C"

}

// CHECK-LABEL: te.func @empty
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %i, %j

// -----

// The axes of a reduction are its data axes, then its reduce axes, by these names.
te.func @reduce(%A: tensor<4x3xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 3) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %S : tensor<4xf32>
}
schedule.sequence @s on @reduce {
  %S = schedule.get "S"
  %0, %1 = schedule.axes 2 of %S
  schedule.reorder %1, %0
}

// CHECK-LABEL: te.func @reduce
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 3) : tensor<4xf32>
// CHECK-NEXT:     schedule.order %k, %i

// -----

// Two sequences are applied one after the other; handles to the same axes are the same.
te.func @both(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @both {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.parallel %i
}
schedule.sequence @t on @both {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.reorder %j, %i
}

// CHECK-LABEL: te.func @both
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %j, %i parallel
