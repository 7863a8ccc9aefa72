// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The reversal becomes a relation of the stage; the new axis takes the axis' place in the order.
te.func @once(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @once {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %r = schedule.reverse %j
}

// CHECK-LABEL: te.func @once
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %r = schedule.reverse %j
// CHECK-NEXT:     schedule.order %i, %r

// -----

// The reversal of a reversal is not simplified away: it is what the commands say.
te.func @twice(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @twice {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %r = schedule.reverse %j
  %t = schedule.reverse %r
}

// CHECK-LABEL: te.func @twice
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %r = schedule.reverse %j
// CHECK-NEXT:     %t = schedule.reverse %r
// CHECK-NEXT:     schedule.order %i, %t

// -----

// A stage that is computed at the axis moves to the new one.
te.func @moves_a_stage(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
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
schedule.sequence @s on @moves_a_stage {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %j
  %r = schedule.reverse %j
}

// CHECK-LABEL: te.func @moves_a_stage
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %r = schedule.reverse %j
// CHECK-NEXT:     schedule.order %i, %r
// CHECK-NEXT:     %B = schedule.stage "B" at %r (%x = 12, %y = 8)
// CHECK-NEXT:       schedule.order %x, %y

// -----

// A reduction folds in any order, so a reduce axis is reversed too.
te.func @reduce(%A: tensor<4x9xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 2 to 9) : tensor<4xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %S : tensor<4xf32>
}
schedule.sequence @s on @reduce {
  %S = schedule.get "S"
  %i, %k = schedule.axes 2 of %S
  %r = schedule.reverse %k
}

// CHECK-LABEL: te.func @reduce
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 9)
// CHECK-NEXT:     %r = schedule.reverse %k
// CHECK-NEXT:     schedule.order %i, %r
