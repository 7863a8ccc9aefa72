// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The stage says it, also of an axis that a relation consumes; of two for one axis, the last.
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
  schedule.compute_at %B, %C, %y
  %i, %j = schedule.axes 2 of %B
  schedule.fold_storage %j
  schedule.fold_storage %i
  %io, %ii = schedule.split %i factor 2
  schedule.fold_storage %i factor 4
}

// CHECK-LABEL: te.func @kept
// CHECK:         %B = schedule.stage "B" at %y folded axis 1, axis 0 factor 4 (%i = 66, %j = 64)
// CHECK-NEXT:      %io, %ii = schedule.split %i factor 2
// CHECK-NEXT:      schedule.order %io, %ii, %j
