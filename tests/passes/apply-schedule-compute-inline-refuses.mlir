// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: apply-schedule: cannot inline "D": it is an output
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
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_inline %D
}

// -----

// CHECK: error: apply-schedule: cannot inline "C": it is a reduction, which has no value to put in place of a read
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
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_inline %C
}

// -----

// Commands on a stage that was inlined.
// CHECK: error: apply-schedule: stage "B" was inlined before, and has no loops
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
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_inline %B
  %x, %y, %z = schedule.axes 3 of %B
}

// -----

// CHECK: error: apply-schedule: stage "B" was inlined before, and has no loops
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
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  schedule.compute_inline %B
  schedule.compute_at %B, %C, %i
}

// -----

// CHECK: error: apply-schedule: axis i belonged to a stage that was inlined
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
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  %x, %y, %z = schedule.axes 3 of %B
  schedule.compute_inline %B
  %xo, %xi = schedule.split %x factor 4
}

// -----

// CHECK: error: apply-schedule: axis k belonged to a stage that was inlined
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
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  %x, %y, %z = schedule.axes 3 of %B
  schedule.compute_inline %B
  schedule.vectorize %z
}

// -----

// CHECK: error: apply-schedule: axis k belonged to a stage that was inlined
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
  %D = te.compute "D" (%m = 9, %n = 8) : tensor<9x8xf32> {
    %c = te.read %C[%m, %n] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %D = schedule.get "D"
  %m, %n = schedule.axes 2 of %D
  %x, %y, %z = schedule.axes 3 of %B
  schedule.compute_inline %B
  schedule.reorder %z, %y
}

// -----

// A stage inside it would lose its loop.
// CHECK: error: apply-schedule: cannot inline "C": "B" is computed inside it
te.func @f(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %B = te.compute "B" (%x = 9) : tensor<9xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 9) : tensor<9xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%z = 9) : tensor<9xf32> {
    %c = te.read %C[%z] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<9xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  schedule.compute_at %B, %C, %y
  schedule.compute_inline %C
}

// -----

// CHECK: cannot inline "B": "C" is stored inside it
te.func @stored_inside(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @stored_inside {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  schedule.store_at %C, %B, %i
  schedule.compute_inline %B
}
