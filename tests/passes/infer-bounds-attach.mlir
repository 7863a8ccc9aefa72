// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s


// Without attachment every stage is computed as a whole, before its readers.
te.func @no_attach(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<5x16xf32>
}

// CHECK-LABEL: te.func @no_attach
// CHECK:         schedule.stage "C"
// CHECK:         schedule.region [0 : 5, 0 : 16]
// CHECK:         schedule.range %ci = 0 to 5
// CHECK:         schedule.range %cj = 0 to 16
// CHECK:         schedule.stage "D"
// CHECK:         schedule.region [0 : 5, 0 : 16]
// CHECK:         schedule.range %di = 0 to 5
// CHECK:         schedule.range %dj = 0 to 16

// -----

// At the inner axis a point is computed per point: each range is that point.
te.func @at_inner(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<5x16xf32>
}
schedule.sequence @s on @at_inner {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %di, %dj = schedule.axes 2 of %D
  schedule.compute_at %C, %D, %dj
}

// CHECK-LABEL: te.func @at_inner
// CHECK:         schedule.stage "D"
// CHECK:         schedule.region [0 : 5, 0 : 16]
// CHECK:         schedule.range %di = 0 to 5
// CHECK:         schedule.range %dj = 0 to 16
// CHECK:         schedule.stage "C" at %dj
// CHECK:         schedule.region [%di : 1, %dj : 1]
// CHECK:         schedule.range %ci = %di to %di + 1
// CHECK:         schedule.range %cj = %dj to %dj + 1

// -----

// At the outer axis a row is computed per row.
te.func @at_outer(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<5x16xf32>
}
schedule.sequence @s on @at_outer {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %di, %dj = schedule.axes 2 of %D
  schedule.compute_at %C, %D, %di
}

// CHECK-LABEL: te.func @at_outer
// CHECK:         schedule.stage "D"
// CHECK:         schedule.region [0 : 5, 0 : 16]
// CHECK:         schedule.range %di = 0 to 5
// CHECK:         schedule.range %dj = 0 to 16
// CHECK:         schedule.stage "C" at %di
// CHECK:         schedule.region [%di : 1, 0 : 16]
// CHECK:         schedule.range %ci = %di to %di + 1
// CHECK:         schedule.range %cj = 0 to 16

// -----

// An axis that the producer does not depend on is on its path all the same.
te.func @unused_axis(%A: tensor<5x16xf32>) -> (tensor<4x5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 4, %dj = 5, %dk = 16) : tensor<4x5x16xf32> {
    %c = te.read %C[%dj, %dk] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<4x5x16xf32>
}
schedule.sequence @s on @unused_axis {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %di, %dj, %dk = schedule.axes 3 of %D
  schedule.compute_at %C, %D, %dk
}

// CHECK-LABEL: te.func @unused_axis
// CHECK:         schedule.stage "D"
// CHECK:         schedule.region [0 : 4, 0 : 5, 0 : 16]
// CHECK:         schedule.range %di = 0 to 4
// CHECK:         schedule.range %dj = 0 to 5
// CHECK:         schedule.range %dk = 0 to 16
// CHECK:         schedule.stage "C" at %dk
// CHECK:         schedule.region [%dj : 1, %dk : 1]
// CHECK:         schedule.range %ci = %dj to %dj + 1
// CHECK:         schedule.range %cj = %dk to %dk + 1

// -----

// At the inner axis of a split the point is given by outer and inner together.
te.func @split(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  te.return %D : tensor<5x16xf32>
}
schedule.sequence @s on @split {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %di, %dj = schedule.axes 2 of %D
  %jo, %ji = schedule.split %dj factor 8
  schedule.compute_at %C, %D, %ji
}

// CHECK-LABEL: te.func @split
// CHECK:         schedule.stage "D"
// CHECK:         schedule.region [0 : 5, 0 : 16]
// CHECK:         schedule.range %di = 0 to 5
// CHECK:         schedule.range %jo = 0 to 2
// CHECK:         schedule.range %ji = 0 to 8
// CHECK:         schedule.stage "C" at %ji
// CHECK:         schedule.region [%di : 1, %jo * 8 + %ji : 1]
// CHECK:         schedule.range %ci = %di to %di + 1
// CHECK:         schedule.range %cj = %jo * 8 + %ji to %jo * 8 + %ji + 1

// -----

// C at D at E: the path goes on through the stage that it is attached to.
te.func @chain(%A: tensor<20xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci + %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  %E = te.compute "E" (%ei = 5, %ej = 16) : tensor<5x16xf32> {
    %c = te.read %D[%ei, %ej] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  te.return %E : tensor<5x16xf32>
}
schedule.sequence @s on @chain {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %E = schedule.get "E"
  %di, %dj = schedule.axes 2 of %D
  %ei, %ej = schedule.axes 2 of %E
  schedule.compute_at %C, %D, %dj
  schedule.compute_at %D, %E, %ej
}

// CHECK-LABEL: te.func @chain
// CHECK:         schedule.stage "E"
// CHECK:         schedule.region [0 : 5, 0 : 16]
// CHECK:         schedule.range %ei = 0 to 5
// CHECK:         schedule.range %ej = 0 to 16
// CHECK:         schedule.stage "D" at %ej
// CHECK:         schedule.region [%ei : 1, %ej : 1]
// CHECK:         schedule.range %di = %ei to %ei + 1
// CHECK:         schedule.range %dj = %ej to %ej + 1
// CHECK:         schedule.stage "C" at %dj
// CHECK:         schedule.region [%ei : 1, %ej : 1]
// CHECK:         schedule.range %ci = %ei to %ei + 1
// CHECK:         schedule.range %cj = %ej to %ej + 1

// -----

// A stage at the root is computed for all iterations of the loops its reader is in.
te.func @root_and_attached(%A: tensor<20xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci + %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  %E = te.compute "E" (%ei = 5, %ej = 16) : tensor<5x16xf32> {
    %c = te.read %D[%ei, %ej] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  te.return %E : tensor<5x16xf32>
}
schedule.sequence @s on @root_and_attached {
  %D = schedule.get "D"
  %E = schedule.get "E"
  %ei, %ej = schedule.axes 2 of %E
  schedule.compute_at %D, %E, %ej
}

// CHECK-LABEL: te.func @root_and_attached
// CHECK:         schedule.stage "C"
// CHECK:         schedule.region [0 : 5, 0 : 16]
// CHECK:         schedule.range %ci = 0 to 5
// CHECK:         schedule.range %cj = 0 to 16
// CHECK:         schedule.stage "E"
// CHECK:         schedule.region [0 : 5, 0 : 16]
// CHECK:         schedule.range %ei = 0 to 5
// CHECK:         schedule.range %ej = 0 to 16
// CHECK:         schedule.stage "D" at %ej
// CHECK:         schedule.region [%ei : 1, %ej : 1]
// CHECK:         schedule.range %di = %ei to %ei + 1
// CHECK:         schedule.range %dj = %ej to %ej + 1

// -----

// A split of a fused axis by the row's length needs one row per iteration, not the tensor.
te.func @fused4(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %B = te.compute "B" (%bi = 4, %bj = 4) : tensor<4x4xf32> {
    %a = te.read %A[%bi, %bj] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%ci = 4, %cj = 4) : tensor<4x4xf32> {
    %c = te.read %B[%ci, %cj] : f32
    %d = arith.addf %c, %c : f32
    te.yield %d : f32
  }
  te.return %C : tensor<4x4xf32>
}
schedule.sequence @s on @fused4 {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %ci, %cj = schedule.axes 2 of %C
  %f = schedule.fuse %ci, %cj
  %fo, %fi = schedule.split %f factor 4
  schedule.compute_at %B, %C, %fo
}

// CHECK-LABEL: te.func @fused4
// CHECK:         schedule.stage "C"
// CHECK:         schedule.region [0 : 4, 0 : 4]
// CHECK:         schedule.range %fo = 0 to 4
// CHECK:         schedule.range %fi = 0 to 4
// CHECK:         schedule.stage "B" at %fo
// CHECK:         schedule.region [%fo : 1, 0 : 4]
// CHECK:         schedule.range %bi = %fo to %fo + 1
// CHECK:         schedule.range %bj = 0 to 4
