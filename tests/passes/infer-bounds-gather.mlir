// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// A subscript that depends on data may be anything: all of that axis is computed, of the other
// what is read.
te.func @root(%A: tensor<9x8xf32>, %I: tensor<5xi32>) -> (tensor<5x4xf32>) {
  %B = te.compute "B" (%x = 9, %y = 8) : tensor<9x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %G = te.compute "G" (%i = 5, %j = 4) : tensor<5x4xf32> {
    %n = te.read %I[%i] : i32
    %row = arith.index_cast %n : i32 to index
    %b = te.read %B[%row, %j * 2] : f32
    te.yield %b : f32
  }
  te.return %G : tensor<5x4xf32>
}
schedule.sequence @s on @root {
  %B = schedule.get "B"
  %G = schedule.get "G"
  %i, %j = schedule.axes 2 of %G
  schedule.reorder %i, %j
}

// CHECK-LABEL: te.func @root
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 9, %y = 8) : tensor<9x8xf32>
// CHECK:          schedule.region [0 : 9, 0 : 7]
// CHECK-NEXT:     schedule.range %x = 0 to 9
// CHECK-NEXT:     schedule.range %y = 0 to 7
// CHECK:        %G = schedule.stage "G" (%i = 5, %j = 4) : tensor<5x4xf32>
// CHECK:          schedule.region [0 : 5, 0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 5
// CHECK-NEXT:     schedule.range %j = 0 to 4

// -----

// At the inner loop a whole column is computed for each element.
te.func @inner(%A: tensor<9x8xf32>, %I: tensor<5xi32>) -> (tensor<5x4xf32>) {
  %B = te.compute "B" (%x = 9, %y = 8) : tensor<9x8xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %G = te.compute "G" (%i = 5, %j = 4) : tensor<5x4xf32> {
    %n = te.read %I[%i] : i32
    %row = arith.index_cast %n : i32 to index
    %b = te.read %B[%row, %j * 2] : f32
    te.yield %b : f32
  }
  te.return %G : tensor<5x4xf32>
}
schedule.sequence @s on @inner {
  %B = schedule.get "B"
  %G = schedule.get "G"
  %i, %j = schedule.axes 2 of %G
  schedule.compute_at %B, %G, %j
}

// CHECK-LABEL: te.func @inner
// CHECK-NEXT:   %G = schedule.stage "G" (%i = 5, %j = 4) : tensor<5x4xf32>
// CHECK:          schedule.region [0 : 5, 0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 5
// CHECK-NEXT:     schedule.range %j = 0 to 4
// CHECK-NEXT:     %B = schedule.stage "B" at %j (%x = 9, %y = 8) : tensor<9x8xf32>
// CHECK:            schedule.region [0 : 9, %j * 2 : 1]
// CHECK-NEXT:       schedule.range %x = 0 to 9
// CHECK-NEXT:       schedule.range %y = %j * 2 to %j * 2 + 1
