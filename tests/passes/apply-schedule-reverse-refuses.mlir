// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// The axis is gone after the first reversal.
// CHECK: error: axis i was consumed by reverse; use r
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
  %r = schedule.reverse %i
  %t = schedule.reverse %i
}

// -----

// It is gone too when another handle names it.
// CHECK: error: apply-schedule: axis i is no leaf axis of stage "C"; its leaf axes are r, j
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
  %r = schedule.reverse %i
  %p, %q = schedule.axes 2 of %C
  %t = schedule.reverse %p
}

// -----

// The kind would be lost.
// CHECK: error: apply-schedule: axis i of stage "C" is threadIdx.x; reverse it before that
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
  schedule.bind %i "threadIdx.x"
  %r = schedule.reverse %i
}
