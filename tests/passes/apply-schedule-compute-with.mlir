// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The stage says how many loops it shares with the one in front. A kind of one axis is that of the
// loop.
te.func @shared(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>, tensor<10x8xf32>) {
  %B = te.compute "B" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 10, %x = 8) : tensor<10x8xf32> {
    %a = te.read %A[%y, %x] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<12x8xf32>, tensor<10x8xf32>
}
schedule.sequence @s on @shared {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %B
  %y, %x = schedule.axes 2 of %C
  schedule.compute_with %C, %B, %j align ["none", "end"]
  schedule.parallel %y
}

// CHECK-LABEL: te.func @shared
// CHECK:         schedule.stage "B" (
// CHECK-NEXT:      schedule.order %i parallel, %j
// CHECK:         schedule.stage "C" sharing 2 align [none, end] (
// CHECK-NEXT:      schedule.order %y parallel, %x

// -----

// A stage comes behind one that it reads, whichever the command names first; what is split later is
// shared down to the inner axis.
te.func @reader(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>, tensor<12x8xf32>) {
  %B = te.compute "B" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12, %x = 8) : tensor<12x8xf32> {
    %b = te.read %B[%y, %x] : f32
    te.yield %b : f32
  }
  te.return %B, %C : tensor<12x8xf32>, tensor<12x8xf32>
}
schedule.sequence @s on @reader {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %B
  %y, %x = schedule.axes 2 of %C
  schedule.compute_with %B, %C, %y
  %io, %ii = schedule.split %i factor 4
  %yo, %yi = schedule.split %y factor 4
}

// CHECK-LABEL: te.func @reader
// CHECK:         schedule.stage "B" (
// CHECK:         schedule.stage "C" sharing 2 (

// -----

// Of three stages, two share both loops and the third only the outer one: it comes last, so that
// the others are neighbours. A stage that nothing orders stays where it was, in front or behind.
te.func @three(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>, tensor<12x8xf32>, tensor<12x8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %E = te.compute "E" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i, 0] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %B, %C, %D, %E : tensor<12x8xf32>, tensor<12x8xf32>, tensor<12x8xf32>, tensor<8xf32>
}
schedule.sequence @s on @three {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %B
  schedule.compute_with %C, %B, %i
  schedule.compute_with %D, %B, %j
}

// CHECK-LABEL: te.func @three
// CHECK:         schedule.stage "B" (
// CHECK:         schedule.stage "D" sharing 2 (
// CHECK:         schedule.stage "C" sharing 1 (
// CHECK:         schedule.stage "E" (
