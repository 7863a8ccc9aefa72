// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// Without attachment every stage is computed as a whole, before its readers.
te.func @no_attach(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = schedule.stage "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    schedule.order %ci, %cj
    schedule.equation (%ci_1, %cj_1) {
      %a = te.read %A[%ci_1, %cj_1] : f32
      te.yield %a : f32
    }
  }
  %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    schedule.order %di, %dj
    schedule.equation (%di_1, %dj_1) {
      %c = te.read %C[%di_1, %dj_1] : f32
      %d = arith.addf %c, %c : f32
      te.yield %d : f32
    }
  }
  te.return %D : tensor<5x16xf32>
}

// CHECK-LABEL: te.func @no_attach
// CHECK-NEXT:   %C = schedule.stage "C" (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %ci, %cj
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 16]
// CHECK-NEXT:     schedule.range %ci = 0 to 5
// CHECK-NEXT:     schedule.range %cj = 0 to 16
// CHECK:        %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %di, %dj
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 16]
// CHECK-NEXT:     schedule.range %di = 0 to 5
// CHECK-NEXT:     schedule.range %dj = 0 to 16

// -----

// At the inner axis a point is computed per point: each range is that point.
te.func @at_inner(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    schedule.order %di, %dj
    %C = schedule.stage "C" at %dj (%ci = 5, %cj = 16) : tensor<5x16xf32> {
      schedule.order %ci, %cj
      schedule.equation (%ci_1, %cj_1) {
        %a = te.read %A[%ci_1, %cj_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%di_1, %dj_1) {
      %c = te.read %C[%di_1, %dj_1] : f32
      %d = arith.addf %c, %c : f32
      te.yield %d : f32
    }
  }
  te.return %D : tensor<5x16xf32>
}

// CHECK-LABEL: te.func @at_inner
// CHECK-NEXT:   %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %di, %dj
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 16]
// CHECK-NEXT:     schedule.range %di = 0 to 5
// CHECK-NEXT:     schedule.range %dj = 0 to 16
// CHECK-NEXT:     %C = schedule.stage "C" at %dj (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %ci, %cj
// CHECK-NEXT:       schedule.region [%di : 1, %dj : 1]
// CHECK-NEXT:       schedule.range %ci = %di to %di + 1
// CHECK-NEXT:       schedule.range %cj = %dj to %dj + 1

// -----

// At the outer axis a row is computed per row.
te.func @at_outer(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    schedule.order %di, %dj
    %C = schedule.stage "C" at %di (%ci = 5, %cj = 16) : tensor<5x16xf32> {
      schedule.order %ci, %cj
      schedule.equation (%ci_1, %cj_1) {
        %a = te.read %A[%ci_1, %cj_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%di_1, %dj_1) {
      %c = te.read %C[%di_1, %dj_1] : f32
      %d = arith.addf %c, %c : f32
      te.yield %d : f32
    }
  }
  te.return %D : tensor<5x16xf32>
}

// CHECK-LABEL: te.func @at_outer
// CHECK-NEXT:   %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %di, %dj
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 16]
// CHECK-NEXT:     schedule.range %di = 0 to 5
// CHECK-NEXT:     schedule.range %dj = 0 to 16
// CHECK-NEXT:     %C = schedule.stage "C" at %di (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %ci, %cj
// CHECK-NEXT:       schedule.region [%di : 1, 0 : 16]
// CHECK-NEXT:       schedule.range %ci = %di to %di + 1
// CHECK-NEXT:       schedule.range %cj = 0 to 16

// -----

// An axis that the producer does not depend on is on its path all the same.
te.func @unused_axis(%A: tensor<5x16xf32>) -> (tensor<4x5x16xf32>) {
  %D = schedule.stage "D" (%di = 4, %dj = 5, %dk = 16) : tensor<4x5x16xf32> {
    schedule.order %di, %dj, %dk
    %C = schedule.stage "C" at %dk (%ci = 5, %cj = 16) : tensor<5x16xf32> {
      schedule.order %ci, %cj
      schedule.equation (%ci_1, %cj_1) {
        %a = te.read %A[%ci_1, %cj_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%di_1, %dj_1, %dk_1) {
      %c = te.read %C[%dj_1, %dk_1] : f32
      %d = arith.addf %c, %c : f32
      te.yield %d : f32
    }
  }
  te.return %D : tensor<4x5x16xf32>
}

// CHECK-LABEL: te.func @unused_axis
// CHECK-NEXT:   %D = schedule.stage "D" (%di = 4, %dj = 5, %dk = 16) : tensor<4x5x16xf32>
// CHECK-NEXT:     schedule.order %di, %dj, %dk
// CHECK-NEXT:     schedule.region [0 : 4, 0 : 5, 0 : 16]
// CHECK-NEXT:     schedule.range %di = 0 to 4
// CHECK-NEXT:     schedule.range %dj = 0 to 5
// CHECK-NEXT:     schedule.range %dk = 0 to 16
// CHECK-NEXT:     %C = schedule.stage "C" at %dk (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %ci, %cj
// CHECK-NEXT:       schedule.region [%dj : 1, %dk : 1]
// CHECK-NEXT:       schedule.range %ci = %dj to %dj + 1
// CHECK-NEXT:       schedule.range %cj = %dk to %dk + 1

// -----

// At the inner axis of a split the point is given by outer and inner together.
te.func @split(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %jo, %ji = schedule.split %dj factor 8
    schedule.order %di, %jo, %ji
    %C = schedule.stage "C" at %ji (%ci = 5, %cj = 16) : tensor<5x16xf32> {
      schedule.order %ci, %cj
      schedule.equation (%ci_1, %cj_1) {
        %a = te.read %A[%ci_1, %cj_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%di_1, %dj_1) {
      %c = te.read %C[%di_1, %dj_1] : f32
      %d = arith.addf %c, %c : f32
      te.yield %d : f32
    }
  }
  te.return %D : tensor<5x16xf32>
}

// CHECK-LABEL: te.func @split
// CHECK-NEXT:   %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     %jo, %ji = schedule.split %dj factor 8
// CHECK-NEXT:     schedule.order %di, %jo, %ji
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 16]
// CHECK-NEXT:     schedule.range %di = 0 to 5
// CHECK-NEXT:     schedule.range %jo = 0 to 2
// CHECK-NEXT:     schedule.range %ji = 0 to 8
// CHECK-NEXT:     schedule.range %dj = 0 to 16
// CHECK-NEXT:     schedule.value %dj = %jo * 8 + %ji
// CHECK-NEXT:     %C = schedule.stage "C" at %ji (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %ci, %cj
// CHECK-NEXT:       schedule.region [%di : 1, %jo * 8 + %ji : 1]
// CHECK-NEXT:       schedule.range %ci = %di to %di + 1
// CHECK-NEXT:       schedule.range %cj = %jo * 8 + %ji to %jo * 8 + %ji + 1

// -----

// C at D at E: the path goes on through the stage that it is attached to.
te.func @chain(%A: tensor<20xf32>) -> (tensor<5x16xf32>) {
  %E = schedule.stage "E" (%ei = 5, %ej = 16) : tensor<5x16xf32> {
    schedule.order %ei, %ej
    %D = schedule.stage "D" at %ej (%di = 5, %dj = 16) : tensor<5x16xf32> {
      schedule.order %di, %dj
      %C = schedule.stage "C" at %dj (%ci = 5, %cj = 16) : tensor<5x16xf32> {
        schedule.order %ci, %cj
        schedule.equation (%ci_1, %cj_1) {
          %a = te.read %A[%ci_1 + %cj_1] : f32
          te.yield %a : f32
        }
      }
      schedule.equation (%di_1, %dj_1) {
        %c = te.read %C[%di_1, %dj_1] : f32
        %d = arith.addf %c, %c : f32
        te.yield %d : f32
      }
    }
    schedule.equation (%ei_1, %ej_1) {
      %c = te.read %D[%ei_1, %ej_1] : f32
      %d = arith.addf %c, %c : f32
      te.yield %d : f32
    }
  }
  te.return %E : tensor<5x16xf32>
}

// CHECK-LABEL: te.func @chain
// CHECK-NEXT:   %E = schedule.stage "E" (%ei = 5, %ej = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %ei, %ej
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 16]
// CHECK-NEXT:     schedule.range %ei = 0 to 5
// CHECK-NEXT:     schedule.range %ej = 0 to 16
// CHECK-NEXT:     %D = schedule.stage "D" at %ej (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %di, %dj
// CHECK-NEXT:       schedule.region [%ei : 1, %ej : 1]
// CHECK-NEXT:       schedule.range %di = %ei to %ei + 1
// CHECK-NEXT:       schedule.range %dj = %ej to %ej + 1
// CHECK-NEXT:       %C = schedule.stage "C" at %dj (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:         schedule.order %ci, %cj
// CHECK-NEXT:         schedule.region [%ei : 1, %ej : 1]
// CHECK-NEXT:         schedule.range %ci = %ei to %ei + 1
// CHECK-NEXT:         schedule.range %cj = %ej to %ej + 1

// -----

// A stage at the root is computed for all iterations of the loops its reader is in.
te.func @root_and_attached(%A: tensor<20xf32>) -> (tensor<5x16xf32>) {
  %C = schedule.stage "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    schedule.order %ci, %cj
    schedule.equation (%ci_1, %cj_1) {
      %a = te.read %A[%ci_1 + %cj_1] : f32
      te.yield %a : f32
    }
  }
  %E = schedule.stage "E" (%ei = 5, %ej = 16) : tensor<5x16xf32> {
    schedule.order %ei, %ej
    %D = schedule.stage "D" at %ej (%di = 5, %dj = 16) : tensor<5x16xf32> {
      schedule.order %di, %dj
      schedule.equation (%di_1, %dj_1) {
        %c = te.read %C[%di_1, %dj_1] : f32
        %d = arith.addf %c, %c : f32
        te.yield %d : f32
      }
    }
    schedule.equation (%ei_1, %ej_1) {
      %c = te.read %D[%ei_1, %ej_1] : f32
      %d = arith.addf %c, %c : f32
      te.yield %d : f32
    }
  }
  te.return %E : tensor<5x16xf32>
}

// CHECK-LABEL: te.func @root_and_attached
// CHECK-NEXT:   %C = schedule.stage "C" (%ci = 5, %cj = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %ci, %cj
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 16]
// CHECK-NEXT:     schedule.range %ci = 0 to 5
// CHECK-NEXT:     schedule.range %cj = 0 to 16
// CHECK:        %E = schedule.stage "E" (%ei = 5, %ej = 16) : tensor<5x16xf32>
// CHECK-NEXT:     schedule.order %ei, %ej
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 16]
// CHECK-NEXT:     schedule.range %ei = 0 to 5
// CHECK-NEXT:     schedule.range %ej = 0 to 16
// CHECK-NEXT:     %D = schedule.stage "D" at %ej (%di = 5, %dj = 16) : tensor<5x16xf32>
// CHECK-NEXT:       schedule.order %di, %dj
// CHECK-NEXT:       schedule.region [%ei : 1, %ej : 1]
// CHECK-NEXT:       schedule.range %di = %ei to %ei + 1
// CHECK-NEXT:       schedule.range %dj = %ej to %ej + 1

// -----

// A split of a fused axis by the row's length needs one row per iteration, not the tensor.
te.func @fused4(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %C = schedule.stage "C" (%ci = 4, %cj = 4) : tensor<4x4xf32> {
    %f = schedule.fuse %ci, %cj
    %fo, %fi = schedule.split %f factor 4
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%bi = 4, %bj = 4) : tensor<4x4xf32> {
      schedule.order %bi, %bj
      schedule.equation (%bi_1, %bj_1) {
        %a = te.read %A[%bi_1, %bj_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%ci_1, %cj_1) {
      %c = te.read %B[%ci_1, %cj_1] : f32
      %d = arith.addf %c, %c : f32
      te.yield %d : f32
    }
  }
  te.return %C : tensor<4x4xf32>
}

// CHECK-LABEL: te.func @fused4
// CHECK-NEXT:   %C = schedule.stage "C" (%ci = 4, %cj = 4) : tensor<4x4xf32>
// CHECK-NEXT:     %f = schedule.fuse %ci, %cj
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 4
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 4, 0 : 4]
// CHECK-NEXT:     schedule.range %fo = 0 to 4
// CHECK-NEXT:     schedule.range %fi = 0 to 4
// CHECK-NEXT:     schedule.range %ci = 0 to 4
// CHECK-NEXT:     schedule.range %cj = 0 to 4
// CHECK-NEXT:     schedule.range %f = 0 to 16
// CHECK-NEXT:     schedule.value %cj = %fi
// CHECK-NEXT:     schedule.value %ci = %fo
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%bi = 4, %bj = 4) : tensor<4x4xf32>
// CHECK-NEXT:       schedule.order %bi, %bj
// CHECK-NEXT:       schedule.region [%fo : 1, 0 : 4]
// CHECK-NEXT:       schedule.range %bi = %fo to %fo + 1
// CHECK-NEXT:       schedule.range %bj = 0 to 4
