// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// Stages that do not read each other run in the order that is asked for.
te.func @after(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C, %D : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @after {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  schedule.after %B, %D
  schedule.after %C, %B
}

// CHECK-LABEL: te.func @after
// CHECK:         schedule.stage "D" (
// CHECK:         schedule.stage "B" (
// CHECK:         schedule.stage "C" (

// -----

// With an axis, they run behind each other in each iteration: Tiramisu's levels root, 1, root.
te.func @levels(%A: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %cp2 = te.compute "cp2" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i, 1] : f32
    te.yield %a : f32
  }
  %by = te.compute "by" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %bx = te.compute "bx" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %cp1 = te.compute "cp1" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i, 0] : f32
    te.yield %a : f32
  }
  te.return %cp2, %by, %bx, %cp1 : tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}
schedule.sequence @s on @levels {
  %cp1 = schedule.get "cp1"
  %bx = schedule.get "bx"
  %by = schedule.get "by"
  %cp2 = schedule.get "cp2"
  %i, %j = schedule.axes 2 of %bx
  schedule.after %bx, %cp1
  schedule.after %by, %bx at %j
  schedule.after %cp2, %by
}

// CHECK-LABEL: te.func @levels
// CHECK:         schedule.stage "cp1" (
// CHECK:         schedule.stage "bx" (
// CHECK:         schedule.stage "by" sharing 2 (
// CHECK:         schedule.stage "cp2" (

// -----

// `between` is two `after`: B runs behind D and in front of C, which share the loops with it.
te.func @between(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
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
schedule.sequence @s on @between {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %C
  %y, %x = schedule.axes 2 of %D
  schedule.between %B, %D at %y, %C at %j
}

// CHECK-LABEL: te.func @between
// CHECK:         schedule.stage "D" (
// CHECK:         schedule.stage "B" sharing 1 (
// CHECK:         schedule.stage "C" sharing 2 (
