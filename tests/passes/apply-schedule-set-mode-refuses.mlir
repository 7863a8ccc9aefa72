// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// Words that are no mode; the nearest one is named.
// CHECK: error: no mode 'hul'; modes: exact, hull, box; did you mean 'hull'?
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  schedule.set_mode %B "hul"
}

// -----

// CHECK: error: no mode 'fast'; modes: exact, hull, box
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  schedule.set_mode %B "fast"
}

// -----

// A budget in which nothing can be tried.
// CHECK: error: a budget of 0 operations: it must be at least 1
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  schedule.set_mode %B "hull" budget 0
}

// -----

// A command that says nothing.
// CHECK: error: set_mode says neither a mode nor a budget
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  schedule.set_mode %B
}

// -----

// An inlined stage has no region.
// CHECK: error: apply-schedule: stage "B" was inlined before, and has no loops
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  schedule.compute_inline %B
  schedule.set_mode %B "box"
}

// -----

// A group has no region either.
// CHECK: error: apply-schedule: set_mode wants one stage, not the group of "B"; a group has compute_at and compute_root
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %G = schedule.group %B
  schedule.set_mode %G "box"
}

// -----

// A name of no stage.
// CHECK: error: apply-schedule: no stage is named "D" (stages: B, C)
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %D = schedule.get "D"
  schedule.set_mode %D "box"
}
