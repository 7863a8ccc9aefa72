// RUN: teloom-opt %s -p apply-schedule,infer-bounds,check-schedule | filecheck %s

// A window that is folded, in a parallel loop over parts: proved, and left as it is.
// CHECK-LABEL: @rows
// CHECK: stored at %yo folded axis 0 factor 3
te.func @rows(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @rolling on @rows {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %yi = schedule.split %y factor 16
  schedule.parallel %yo
  schedule.compute_at %B, %C, %yi
  schedule.store_at %B, %C, %yo
  %i, %j = schedule.axes 2 of %B
  schedule.fold_storage %i
}

// The order of a sum changes, which is legal unless it is asked for.
// CHECK-LABEL: @sums
// CHECK: schedule.order %i, %ki vectorized, %ko
te.func @sums(%n: index, %A: tensor<8x?xf32>[8, %n]) -> (tensor<8xf32>) {
  %S = te.compute "S" (%i = 8) reduce (%k = %n) : tensor<8xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<8xf32>
}
schedule.sequence @lanes on @sums {
  %S = schedule.get "S"
  %i, %k = schedule.axes 2 of %S
  %ko, %ki = schedule.split %k factor 8
  schedule.reorder %ki, %ko
  schedule.vectorize %ki
}
