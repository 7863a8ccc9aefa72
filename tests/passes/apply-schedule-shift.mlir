// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The shift becomes a relation of the stage; the shifted axis takes the axis' place in the order.
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
  %s = schedule.shift %i by 3
}

// CHECK-LABEL: te.func @once
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %s = schedule.shift %i by 3
// CHECK-NEXT:     schedule.order %s, %j

// -----

// A shifted axis is an axis like others: it is split, or shifted again, backwards too.
te.func @before_a_split(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @before_a_split {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %s = schedule.shift %i by -3
  %t = schedule.shift %s by 5
  %to, %ti = schedule.split %t factor 4
}

// CHECK-LABEL: te.func @before_a_split
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %s = schedule.shift %i by -3
// CHECK-NEXT:     %t = schedule.shift %s by 5
// CHECK-NEXT:     %to, %ti = schedule.split %t factor 4
// CHECK-NEXT:     schedule.order %to, %ti, %j

// -----

// A stage that is computed at the axis moves to the shifted one.
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
  schedule.compute_at %B, %C, %i
  %s = schedule.shift %i by 3
}

// CHECK-LABEL: te.func @moves_a_stage
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8)
// CHECK-NEXT:     %s = schedule.shift %i by 3
// CHECK-NEXT:     schedule.order %s, %j
// CHECK-NEXT:     %B = schedule.stage "B" at %s (%x = 12, %y = 8)
// CHECK-NEXT:       schedule.order %x, %y

// -----

// A reduce axis is shifted as a data axis is.
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
  %s = schedule.shift %k by -2
}

// CHECK-LABEL: te.func @reduce
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 9)
// CHECK-NEXT:     %s = schedule.shift %k by -2
// CHECK-NEXT:     schedule.order %i, %s
