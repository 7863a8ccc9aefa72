// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: no stage is named "E" (stages: B, C, D)
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @unknown_stage on @f {
  %E = schedule.get "E"
}

// -----

// CHECK: stage "C" has 3 root axes, not 2
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @wrong_count on @f {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
}

// -----

// CHECK: fuse needs adjacent axes in their order, got j, i; the order of stage "C" is i, j, k
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @not_adjacent on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %f = schedule.fuse %j, %i
}

// -----

// CHECK: cannot compute "B" at axis i of "D": not every read of it is inside that loop (readers: "C"); legal places: the root, C.i, C.j, C.k
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @consumer_outside on @f {
  %D = schedule.get "D"
  %x, %y = schedule.axes 2 of %D
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %B = schedule.get "B"
  schedule.compute_at %B, %D, %x
}

// -----

// CHECK: cannot compute "B" at axis i of "D": axis i belongs to "C"; legal places: the root, C.i, C.j, C.k
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @axis_of_another on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %B = schedule.get "B"
  %D = schedule.get "D"
  schedule.compute_at %B, %D, %i
}

// -----

// CHECK: cannot compute "C" at axis j of "D": j is vectorized; legal places: the root, D.i
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @inside_vectorized on @f {
  %D = schedule.get "D"
  %x, %y = schedule.axes 2 of %D
  %C = schedule.get "C"
  schedule.compute_at %C, %D, %y
  schedule.vectorize %y
}

// -----

// CHECK: cannot compute "D" at axis i of "C": nothing reads it; legal places: the root
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @output on @f {
  %D = schedule.get "D"
  %x, %y = schedule.axes 2 of %D
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  schedule.compute_at %D, %C, %i
}

// -----

// CHECK: cannot compute "C" at axis i of "C": a stage cannot be computed inside itself; legal places: the root, D.i, D.j
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @itself on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  schedule.compute_at %C, %C, %i
}

// -----

// CHECK: cannot inline "D": it is an output
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @inline_output on @f {
  %D = schedule.get "D"
  schedule.compute_inline %D
}

// -----

// CHECK: cannot inline "C": it is a reduction, which has no value to put in place of a read
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @inline_reduction on @f {
  %C = schedule.get "C"
  schedule.compute_inline %C
}

// -----

// CHECK: stage "B" was inlined before, and has no loops
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @root_of_inlined on @f {
  %B = schedule.get "B"
  schedule.compute_inline %B
  schedule.compute_root %B
}

// -----

// CHECK: axis j of stage "D" is threadIdx.x; split it before that
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @split_after_vectorize on @f {
  %D = schedule.get "D"
  %x, %y = schedule.axes 2 of %D
  schedule.bind %y "threadIdx.x"
  %yo, %yi = schedule.split %y factor 4
}

// -----

// CHECK: reorder names axis i, which is no axis of stage "D"
te.func @f(%A: tensor<9x8x4xf32>) -> (tensor<9x8xf32>) {
  %B = te.compute "B" (%i = 9, %j = 8, %k = 4) : tensor<9x8x4xf32> {
    %a = te.read %A[%i, %j, %k] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9, %j = 8) reduce (%k = 4) : tensor<9x8xf32> {
    %b = te.read %B[%i, %j, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%i = 9, %j = 8) : tensor<9x8xf32> {
    %c = te.read %C[%i, %j] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @another_stage on @f {
  %D = schedule.get "D"
  %x, %y = schedule.axes 2 of %D
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  schedule.reorder %x, %i
}

// -----

// CHECK: no te.func is named @g (functions: none)
schedule.sequence @no_function on @g {
}
