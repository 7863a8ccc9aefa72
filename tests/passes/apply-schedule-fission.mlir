// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The inner loops are distributed, the outer one stays shared; of the alignments the outer is left.
te.func @inner(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %B, %C, %D : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
schedule.sequence @s on @inner {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %B
  %y, %x = schedule.axes 2 of %D
  schedule.compute_with %C, %B, %j align ["start", "end"]
  schedule.compute_with %D, %B, %j
  schedule.fission %x
}

// CHECK-LABEL: te.func @inner
// CHECK:         schedule.stage "B" (
// CHECK:         schedule.stage "C" sharing 1 align [start] (
// CHECK:         schedule.stage "D" sharing 1 (

// -----

// At the outermost loop nothing is left to share.
te.func @all(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8x8xf32>, tensor<8x8xf32>
}
schedule.sequence @s on @all {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %B
  schedule.compute_with %C, %B, %j
  schedule.fission %i
}

// CHECK-LABEL: te.func @all
// CHECK:         schedule.stage "B" (
// CHECK:         schedule.stage "C" (

// -----

// Commands on the axes follow: the loop was shared by nobody any more.
// CHECK-LABEL: te.func @then_split
// CHECK:         %B = schedule.stage "B"
// CHECK-NEXT:      %i.outer, %i.inner = schedule.split %i factor 4
// CHECK:         %C = schedule.stage "C"
// CHECK-NOT:       shared
te.func @then_split(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s5 on @then_split {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  schedule.compute_with %C, %B, %i
  schedule.fission %i
  %i.outer, %i.inner = schedule.split %i factor 4
}
