// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: apply-schedule: axis i belonged to a stage that was inlined
te.func @f(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.compute_inline %B
  schedule.never_partition %i
}

// -----

// CHECK: error: apply-schedule: axis ii of stage "C" has tail "predicate", which split would lose; it has to come from a split with tail "guard" or "cut"
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %ii = schedule.split %i factor 8 tail "predicate"
  %iio, %iii = schedule.split %ii factor 2
}
