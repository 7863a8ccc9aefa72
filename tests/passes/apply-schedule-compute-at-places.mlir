// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// Without a place both are at the root.
te.func @root(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<5x16xf32>
}

// CHECK-LABEL: te.func @root
// CHECK-NEXT:   %C = schedule.stage "C" (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %ci, %cj
// CHECK:        %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %di, %dj

// -----

// At the inner axis of D.
te.func @at_inner(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    te.yield %c : f32
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
// CHECK-NEXT:   %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %di, %dj
// CHECK-NEXT:     %C = schedule.stage "C" at %dj (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %ci, %cj

// -----

// At its outer axis.
te.func @at_outer(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    te.yield %c : f32
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
// CHECK-NEXT:   %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %di, %dj
// CHECK-NEXT:     %C = schedule.stage "C" at %di (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %ci, %cj

// -----

// Inside a loop on which C does not depend.
te.func @again(%A: tensor<5x16xf32>) -> (tensor<4x5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 4, %dj = 5, %dk = 16) : tensor<4x5x16xf32> {
    %c = te.read %C[%dj, %dk] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<4x5x16xf32>
}
schedule.sequence @s on @again {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %di, %dj, %dk = schedule.axes 3 of %D
  schedule.compute_at %C, %D, %dk
}

// CHECK-LABEL: te.func @again
// CHECK-NEXT:   %D = schedule.stage "D" (%di = 4, %dj = 5, %dk = 16) : tensor<4x5x16xf32>
// CHECK-NEXT:     schedule.order %di, %dj, %dk
// CHECK-NEXT:     %C = schedule.stage "C" at %dk (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %ci, %cj

// -----

// At the inner part of a split.
te.func @at_part(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<5x16xf32>
}
schedule.sequence @s on @at_part {
  %C = schedule.get "C"
  %D = schedule.get "D"
  %di, %dj = schedule.axes 2 of %D
  %jo, %ji = schedule.split %dj factor 8
  schedule.compute_at %C, %D, %ji
}

// CHECK-LABEL: te.func @at_part
// CHECK-NEXT:   %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     %jo, %ji = schedule.split %dj factor 8
// CHECK-NEXT:     schedule.order %di, %jo, %ji
// CHECK-NEXT:     %C = schedule.stage "C" at %ji (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %ci, %cj

// -----

// C at D at E: C stands in D, which stands in E.
te.func @chain(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    te.yield %c : f32
  }
  %E = te.compute "E" (%ei = 5, %ej = 16) : tensor<5x16xf32> {
    %d = te.read %D[%ei, %ej] : f32
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
// CHECK-NEXT:   %E = schedule.stage "E" (%ei = 5, %ej = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %ei, %ej
// CHECK-NEXT:     %D = schedule.stage "D" at %ej (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %di, %dj
// CHECK-NEXT:       %C = schedule.stage "C" at %dj (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:         schedule.order %ci, %cj

// -----

// C stays at the root, though its one reader D is computed in E.
te.func @root_and_attached(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = te.compute "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    %a = te.read %A[%ci, %cj] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %c = te.read %C[%di, %dj] : f32
    te.yield %c : f32
  }
  %E = te.compute "E" (%ei = 5, %ej = 16) : tensor<5x16xf32> {
    %d = te.read %D[%ei, %ej] : f32
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
// CHECK-NEXT:   %C = schedule.stage "C" (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %ci, %cj
// CHECK:        %E = schedule.stage "E" (%ei = 5, %ej = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %ei, %ej
// CHECK-NEXT:     %D = schedule.stage "D" at %ej (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %di, %dj
