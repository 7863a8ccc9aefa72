// RUN: not teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,check-schedule 2>&1 | filecheck %s

// The last read of an iteration is of an element of a later one.
// CHECK: error: check-schedule: stage "C" at [0] reads B[2] in iteration [0] of the loops that they share, but "B" at [2] computes it in iteration [2], which is not before that
te.func @too_early(%A: tensor<12xf32>) -> (tensor<12xf32>, tensor<10xf32>) {
  %B = te.compute "B" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 10) : tensor<10xf32> {
    %b = te.read %B[%y + 2] : f32
    te.yield %b : f32
  }
  te.return %B, %C : tensor<12xf32>, tensor<10xf32>
}
schedule.sequence @s on @too_early {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  schedule.compute_with %B, %C, %y
}

// -----

// A sum is there only when its last part has been added.
// CHECK: error: check-schedule: stage "C" at [0, 0] reads S[0] in iteration [0, 0] of the loops that they share, but "S" at [0, 1] computes it in iteration [0, 1], which is not before that
te.func @part_of_a_sum(%A: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %C = te.compute "C" (%i = 4, %j = 8) : tensor<4x8xf32> {
    %s = te.read %S[%i] : f32
    te.yield %s : f32
  }
  te.return %S, %C : tensor<4xf32>, tensor<4x8xf32>
}
schedule.sequence @s on @part_of_a_sum {
  %S = schedule.get "S"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_with %S, %C, %j
}

// -----

// What is computed at the head of an iteration is in front of the loop that both share.
// CHECK: error: check-schedule: stage "P" at [0, 0] reads B[0, 0] in iteration [0] of the loops that they share, but "B" at [0, 0] computes it in iteration [0], which is not before that
te.func @head(%A: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %B = te.compute "B" (%i = 4, %j = 8) : tensor<4x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %P = te.compute "P" (%i = 4, %j = 8) : tensor<4x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  %C = te.compute "C" (%i = 4, %j = 8) : tensor<4x8xf32> {
    %p = te.read %P[%i, %j] : f32
    te.yield %p : f32
  }
  te.return %B, %C : tensor<4x8xf32>, tensor<4x8xf32>
}
schedule.sequence @s on @head {
  %B = schedule.get "B"
  %P = schedule.get "P"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %P, %C, %i
  schedule.compute_with %B, %C, %j
}

// -----

// CHECK: error: infer-bounds: cannot fold axis i of "B" by 2: B[{{[0-9]+}}] and B[{{[0-9]+}}] would share memory, and both are needed at the same time; the smallest factor is 3
te.func @too_few_rows(%A: tensor<12xf32>) -> (tensor<10xf32>) {
  %B = te.compute "B" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 10) : tensor<10xf32> {
    %0 = te.read %B[%y] : f32
    %1 = te.read %B[%y + 2] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<10xf32>
}
schedule.sequence @s on @too_few_rows {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  %y = schedule.axes 1 of %C
  %z = schedule.shift %y by 2
  schedule.compute_with %C, %B, %i
  schedule.fold_storage %i factor 2
}
