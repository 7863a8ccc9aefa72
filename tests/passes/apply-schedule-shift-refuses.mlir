// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// The axis is gone after the first shift.
// CHECK: error: axis i was consumed by shift; use s
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
  %s = schedule.shift %i by 3
  %t = schedule.shift %i by 2
}

// -----

// It is gone too when another handle names it.
// CHECK: error: apply-schedule: axis i is no leaf axis of stage "C"; its leaf axes are s, j
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
  %s = schedule.shift %i by 3
  %p, %q = schedule.axes 2 of %C
  %t = schedule.shift %p by 2
}

// -----

// The kind would be lost.
// CHECK: error: apply-schedule: axis j of stage "C" is threadIdx.x; shift it before that
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
  schedule.bind %j "threadIdx.x"
  %s = schedule.shift %j by 3
}

// -----

// CHECK: error: apply-schedule: axis x belonged to a stage that was inlined
te.func @f(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 12, %y = 8) : tensor<12x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_inline %B
  %s = schedule.shift %x by 3
}
