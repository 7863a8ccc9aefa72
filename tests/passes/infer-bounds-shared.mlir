// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// Ranges are those of each stage alone. Of B two elements are live in an iteration: what it
// computes, and what it has computed before.
// CHECK-LABEL: te.func @follows
// CHECK:         schedule.stage "B" folded axis 0 factor 2 (
// CHECK:           schedule.region [0 : 12]
// CHECK:           schedule.range %i = 0 to 12
// CHECK:         schedule.stage "C" sharing 1 (
// CHECK:           schedule.range %z = 1 to 12
te.func @follows(%A: tensor<12xf32>) -> (tensor<11xf32>) {
  %B = te.compute "B" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 11) : tensor<11xf32> {
    %0 = te.read %B[%y] : f32
    %1 = te.read %B[%y + 1] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<11xf32>
}
schedule.sequence @s on @follows {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  %y = schedule.axes 1 of %C
  %z = schedule.shift %y by 1
  schedule.compute_with %C, %B, %i
  schedule.fold_storage %i
}

// -----

// A reader that has loops of its own reads all of it: nothing is folded.
// CHECK-LABEL: te.func @read_later
// CHECK:         schedule.stage "B" (
te.func @read_later(%A: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %B = te.compute "B" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12) : tensor<12xf32> {
    %0 = te.read %B[%y] : f32
    te.yield %0 : f32
  }
  %D = te.compute "D" (%y = 12) : tensor<12xf32> {
    %0 = te.read %B[%y] : f32
    te.yield %0 : f32
  }
  te.return %C, %D : tensor<12xf32>, tensor<12xf32>
}
schedule.sequence @s on @read_later {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  schedule.compute_with %C, %B, %i
  schedule.fold_storage %i
}
