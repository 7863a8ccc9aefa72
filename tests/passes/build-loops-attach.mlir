// RUN: teloom-opt %s --split-input-file -p 'build-loops{keep_trivial_loops=true}' | filecheck %s --check-prefix=KEPT
// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s --check-prefix=LOOPS

// Without attachment there are two nests, and between them all of C.
te.func @root(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = schedule.stage "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    schedule.order %ci, %cj
    schedule.region [0 : 5, 0 : 16]
    schedule.range %ci = 0 to 5
    schedule.range %cj = 0 to 16
    schedule.equation (%ci_1, %cj_1) {
      %a = te.read %A[%ci_1, %cj_1] : f32
      te.yield %a : f32
    }
  }
  %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    schedule.order %di, %dj
    schedule.region [0 : 5, 0 : 16]
    schedule.range %di = 0 to 5
    schedule.range %dj = 0 to 16
    schedule.equation (%di_1, %dj_1) {
      %c = te.read %C[%di_1, %dj_1] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<5x16xf32>
}

// KEPT-LABEL: func.func @root
// KEPT-NEXT:   %A_1 = loop.bind %A [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   %D_1 = loop.bind %D [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   %C = loop.realize "C" [0 : 5, 0 : 16] : !loop.tensor<2, f32>
// KEPT-NEXT:   loop.for %ci = 0 to 5 {
// KEPT-NEXT:     loop.for %cj = 0 to 16 {
// KEPT-NEXT:       %a = loop.load %A_1[%ci, %cj] : f32
// KEPT-NEXT:       loop.store %a, %C[%ci, %cj] : f32
// KEPT-NEXT:     }
// KEPT-NEXT:   }
// KEPT-NEXT:   loop.for %di = 0 to 5 {
// KEPT-NEXT:     loop.for %dj = 0 to 16 {
// KEPT-NEXT:       %c = loop.load %C[%di, %dj] : f32
// KEPT-NEXT:       loop.store %c, %D_1[%di, %dj] : f32
// KEPT-NEXT:     }
// KEPT-NEXT:   }

// -----

// At the inner axis an element of C is computed just before it is read.
te.func @at_inner(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    schedule.order %di, %dj
    schedule.region [0 : 5, 0 : 16]
    schedule.range %di = 0 to 5
    schedule.range %dj = 0 to 16
    %C = schedule.stage "C" at %dj (%ci = 5, %cj = 16) : tensor<5x16xf32> {
      schedule.order %ci, %cj
      schedule.region [%di : 1, %dj : 1]
      schedule.range %ci = %di to %di + 1
      schedule.range %cj = %dj to %dj + 1
      schedule.equation (%ci_1, %cj_1) {
        %a = te.read %A[%ci_1, %cj_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%di_1, %dj_1) {
      %c = te.read %C[%di_1, %dj_1] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<5x16xf32>
}

// KEPT-LABEL: func.func @at_inner
// KEPT-NEXT:   %A_1 = loop.bind %A [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   %D_1 = loop.bind %D [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   loop.for %di = 0 to 5 {
// KEPT-NEXT:     loop.for %dj = 0 to 16 {
// KEPT-NEXT:       %C = loop.realize "C" [%di : 1, %dj : 1] : !loop.tensor<2, f32>
// KEPT-NEXT:       loop.for %ci = %di to %di + 1 {
// KEPT-NEXT:         loop.for %cj = %dj to %dj + 1 {
// KEPT-NEXT:           %a = loop.load %A_1[%ci, %cj] : f32
// KEPT-NEXT:           loop.store %a, %C[%ci, %cj] : f32
// KEPT-NEXT:         }
// KEPT-NEXT:       }
// KEPT-NEXT:       %c = loop.load %C[%di, %dj] : f32
// KEPT-NEXT:       loop.store %c, %D_1[%di, %dj] : f32
// KEPT-NEXT:     }
// KEPT-NEXT:   }

// LOOPS-LABEL: func.func @at_inner
// LOOPS-NEXT:   %A_1 = loop.bind %A [0 : 5, 0 : 16] : memref<80xf32>
// LOOPS-NEXT:   %D_1 = loop.bind %D [0 : 5, 0 : 16] : memref<80xf32>
// LOOPS-NEXT:   loop.for %di = 0 to 5 {
// LOOPS-NEXT:     loop.for %dj = 0 to 16 {
// LOOPS-NEXT:       %C = loop.realize "C" [%di : 1, %dj : 1] : !loop.tensor<2, f32>
// LOOPS-NEXT:       %a = loop.load %A_1[%di, %dj] : f32
// LOOPS-NEXT:       loop.store %a, %C[%di, %dj] : f32
// LOOPS-NEXT:       %c = loop.load %C[%di, %dj] : f32
// LOOPS-NEXT:       loop.store %c, %D_1[%di, %dj] : f32
// LOOPS-NEXT:     }
// LOOPS-NEXT:   }

// -----

// At the outer axis a row of C is.
te.func @at_outer(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    schedule.order %di, %dj
    schedule.region [0 : 5, 0 : 16]
    schedule.range %di = 0 to 5
    schedule.range %dj = 0 to 16
    %C = schedule.stage "C" at %di (%ci = 5, %cj = 16) : tensor<5x16xf32> {
      schedule.order %ci, %cj
      schedule.region [%di : 1, 0 : 16]
      schedule.range %ci = %di to %di + 1
      schedule.range %cj = 0 to 16
      schedule.equation (%ci_1, %cj_1) {
        %a = te.read %A[%ci_1, %cj_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%di_1, %dj_1) {
      %c = te.read %C[%di_1, %dj_1] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<5x16xf32>
}

// KEPT-LABEL: func.func @at_outer
// KEPT-NEXT:   %A_1 = loop.bind %A [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   %D_1 = loop.bind %D [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   loop.for %di = 0 to 5 {
// KEPT-NEXT:     %C = loop.realize "C" [%di : 1, 0 : 16] : !loop.tensor<2, f32>
// KEPT-NEXT:     loop.for %ci = %di to %di + 1 {
// KEPT-NEXT:       loop.for %cj = 0 to 16 {
// KEPT-NEXT:         %a = loop.load %A_1[%ci, %cj] : f32
// KEPT-NEXT:         loop.store %a, %C[%ci, %cj] : f32
// KEPT-NEXT:       }
// KEPT-NEXT:     }
// KEPT-NEXT:     loop.for %dj = 0 to 16 {
// KEPT-NEXT:       %c = loop.load %C[%di, %dj] : f32
// KEPT-NEXT:       loop.store %c, %D_1[%di, %dj] : f32
// KEPT-NEXT:     }
// KEPT-NEXT:   }

// -----

// C is computed again for every %di, on which it does not depend.
te.func @again(%A: tensor<5x16xf32>) -> (tensor<4x5x16xf32>) {
  %D = schedule.stage "D" (%di = 4, %dj = 5, %dk = 16) : tensor<4x5x16xf32> {
    schedule.order %di, %dj, %dk
    schedule.region [0 : 4, 0 : 5, 0 : 16]
    schedule.range %di = 0 to 4
    schedule.range %dj = 0 to 5
    schedule.range %dk = 0 to 16
    %C = schedule.stage "C" at %dk (%ci = 5, %cj = 16) : tensor<5x16xf32> {
      schedule.order %ci, %cj
      schedule.region [%dj : 1, %dk : 1]
      schedule.range %ci = %dj to %dj + 1
      schedule.range %cj = %dk to %dk + 1
      schedule.equation (%ci_1, %cj_1) {
        %a = te.read %A[%ci_1, %cj_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%di_1, %dj_1, %dk_1) {
      %c = te.read %C[%dj_1, %dk_1] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<4x5x16xf32>
}

// KEPT-LABEL: func.func @again
// KEPT-NEXT:   %A_1 = loop.bind %A [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   %D_1 = loop.bind %D [0 : 4, 0 : 5, 0 : 16] : memref<320xf32>
// KEPT-NEXT:   loop.for %di = 0 to 4 {
// KEPT-NEXT:     loop.for %dj = 0 to 5 {
// KEPT-NEXT:       loop.for %dk = 0 to 16 {
// KEPT-NEXT:         %C = loop.realize "C" [%dj : 1, %dk : 1] : !loop.tensor<2, f32>
// KEPT-NEXT:         loop.for %ci = %dj to %dj + 1 {
// KEPT-NEXT:           loop.for %cj = %dk to %dk + 1 {
// KEPT-NEXT:             %a = loop.load %A_1[%ci, %cj] : f32
// KEPT-NEXT:             loop.store %a, %C[%ci, %cj] : f32
// KEPT-NEXT:           }
// KEPT-NEXT:         }
// KEPT-NEXT:         %c = loop.load %C[%dj, %dk] : f32
// KEPT-NEXT:         loop.store %c, %D_1[%di, %dj, %dk] : f32
// KEPT-NEXT:       }
// KEPT-NEXT:     }
// KEPT-NEXT:   }

// -----

// At the inner part of a split both parts say which element it is.
te.func @at_part(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %D = schedule.stage "D" (%di = 5, %dj = 16) : tensor<5x16xf32> {
    %jo, %ji = schedule.split %dj factor 8
    schedule.order %di, %jo, %ji
    schedule.region [0 : 5, 0 : 16]
    schedule.range %di = 0 to 5
    schedule.range %jo = 0 to 2
    schedule.range %ji = 0 to 8
    schedule.range %dj = 0 to 16
    schedule.value %dj = %jo * 8 + %ji
    %C = schedule.stage "C" at %ji (%ci = 5, %cj = 16) : tensor<5x16xf32> {
      schedule.order %ci, %cj
      schedule.region [%di : 1, %jo * 8 + %ji : 1]
      schedule.range %ci = %di to %di + 1
      schedule.range %cj = %jo * 8 + %ji to %jo * 8 + %ji + 1
      schedule.equation (%ci_1, %cj_1) {
        %a = te.read %A[%ci_1, %cj_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%di_1, %dj_1) {
      %c = te.read %C[%di_1, %dj_1] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<5x16xf32>
}

// KEPT-LABEL: func.func @at_part
// KEPT-NEXT:   %A_1 = loop.bind %A [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   %D_1 = loop.bind %D [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   loop.for %di = 0 to 5 {
// KEPT-NEXT:     loop.for %jo = 0 to 2 {
// KEPT-NEXT:       loop.for %ji = 0 to 8 {
// KEPT-NEXT:         %C = loop.realize "C" [%di : 1, %jo * 8 + %ji : 1] : !loop.tensor<2, f32>
// KEPT-NEXT:         loop.for %ci = %di to %di + 1 {
// KEPT-NEXT:           loop.for %cj = %jo * 8 + %ji to %jo * 8 + %ji + 1 {
// KEPT-NEXT:             %a = loop.load %A_1[%ci, %cj] : f32
// KEPT-NEXT:             loop.store %a, %C[%ci, %cj] : f32
// KEPT-NEXT:           }
// KEPT-NEXT:         }
// KEPT-NEXT:         %c = loop.load %C[%di, %jo * 8 + %ji] : f32
// KEPT-NEXT:         loop.store %c, %D_1[%di, %jo * 8 + %ji] : f32
// KEPT-NEXT:       }
// KEPT-NEXT:     }
// KEPT-NEXT:   }

// -----

// C at D at E: C is in the loops of D and of E.
te.func @chain(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %E = schedule.stage "E" (%ei = 5, %ej = 16) : tensor<5x16xf32> {
    schedule.order %ei, %ej
    schedule.region [0 : 5, 0 : 16]
    schedule.range %ei = 0 to 5
    schedule.range %ej = 0 to 16
    %D = schedule.stage "D" at %ej (%di = 5, %dj = 16) : tensor<5x16xf32> {
      schedule.order %di, %dj
      schedule.region [%ei : 1, %ej : 1]
      schedule.range %di = %ei to %ei + 1
      schedule.range %dj = %ej to %ej + 1
      %C = schedule.stage "C" at %dj (%ci = 5, %cj = 16) : tensor<5x16xf32> {
        schedule.order %ci, %cj
        schedule.region [%ei : 1, %ej : 1]
        schedule.range %ci = %ei to %ei + 1
        schedule.range %cj = %ej to %ej + 1
        schedule.equation (%ci_1, %cj_1) {
          %a = te.read %A[%ci_1, %cj_1] : f32
          te.yield %a : f32
        }
      }
      schedule.equation (%di_1, %dj_1) {
        %c = te.read %C[%di_1, %dj_1] : f32
        te.yield %c : f32
      }
    }
    schedule.equation (%ei_1, %ej_1) {
      %d = te.read %D[%ei_1, %ej_1] : f32
      te.yield %d : f32
    }
  }
  te.return %E : tensor<5x16xf32>
}

// KEPT-LABEL: func.func @chain
// KEPT-NEXT:   %A_1 = loop.bind %A [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   %E_1 = loop.bind %E [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   loop.for %ei = 0 to 5 {
// KEPT-NEXT:     loop.for %ej = 0 to 16 {
// KEPT-NEXT:       %D = loop.realize "D" [%ei : 1, %ej : 1] : !loop.tensor<2, f32>
// KEPT-NEXT:       loop.for %di = %ei to %ei + 1 {
// KEPT-NEXT:         loop.for %dj = %ej to %ej + 1 {
// KEPT-NEXT:           %C = loop.realize "C" [%ei : 1, %ej : 1] : !loop.tensor<2, f32>
// KEPT-NEXT:           loop.for %ci = %ei to %ei + 1 {
// KEPT-NEXT:             loop.for %cj = %ej to %ej + 1 {
// KEPT-NEXT:               %a = loop.load %A_1[%ci, %cj] : f32
// KEPT-NEXT:               loop.store %a, %C[%ci, %cj] : f32
// KEPT-NEXT:             }
// KEPT-NEXT:           }
// KEPT-NEXT:           %c = loop.load %C[%di, %dj] : f32
// KEPT-NEXT:           loop.store %c, %D[%di, %dj] : f32
// KEPT-NEXT:         }
// KEPT-NEXT:       }
// KEPT-NEXT:       %d = loop.load %D[%ei, %ej] : f32
// KEPT-NEXT:       loop.store %d, %E_1[%ei, %ej] : f32
// KEPT-NEXT:     }
// KEPT-NEXT:   }

// -----

// C at the root is whole before E's loops, though its one reader D is computed per element of E.
te.func @root_and_attached(%A: tensor<5x16xf32>) -> (tensor<5x16xf32>) {
  %C = schedule.stage "C" (%ci = 5, %cj = 16) : tensor<5x16xf32> {
    schedule.order %ci, %cj
    schedule.region [0 : 5, 0 : 16]
    schedule.range %ci = 0 to 5
    schedule.range %cj = 0 to 16
    schedule.equation (%ci_1, %cj_1) {
      %a = te.read %A[%ci_1, %cj_1] : f32
      te.yield %a : f32
    }
  }
  %E = schedule.stage "E" (%ei = 5, %ej = 16) : tensor<5x16xf32> {
    schedule.order %ei, %ej
    schedule.region [0 : 5, 0 : 16]
    schedule.range %ei = 0 to 5
    schedule.range %ej = 0 to 16
    %D = schedule.stage "D" at %ej (%di = 5, %dj = 16) : tensor<5x16xf32> {
      schedule.order %di, %dj
      schedule.region [%ei : 1, %ej : 1]
      schedule.range %di = %ei to %ei + 1
      schedule.range %dj = %ej to %ej + 1
      schedule.equation (%di_1, %dj_1) {
        %c = te.read %C[%di_1, %dj_1] : f32
        te.yield %c : f32
      }
    }
    schedule.equation (%ei_1, %ej_1) {
      %d = te.read %D[%ei_1, %ej_1] : f32
      te.yield %d : f32
    }
  }
  te.return %E : tensor<5x16xf32>
}

// KEPT-LABEL: func.func @root_and_attached
// KEPT-NEXT:   %A_1 = loop.bind %A [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   %E_1 = loop.bind %E [0 : 5, 0 : 16] : memref<80xf32>
// KEPT-NEXT:   %C = loop.realize "C" [0 : 5, 0 : 16] : !loop.tensor<2, f32>
// KEPT-NEXT:   loop.for %ci = 0 to 5 {
// KEPT-NEXT:     loop.for %cj = 0 to 16 {
// KEPT-NEXT:       %a = loop.load %A_1[%ci, %cj] : f32
// KEPT-NEXT:       loop.store %a, %C[%ci, %cj] : f32
// KEPT-NEXT:     }
// KEPT-NEXT:   }
// KEPT-NEXT:   loop.for %ei = 0 to 5 {
// KEPT-NEXT:     loop.for %ej = 0 to 16 {
// KEPT-NEXT:       %D = loop.realize "D" [%ei : 1, %ej : 1] : !loop.tensor<2, f32>
// KEPT-NEXT:       loop.for %di = %ei to %ei + 1 {
// KEPT-NEXT:         loop.for %dj = %ej to %ej + 1 {
// KEPT-NEXT:           %c = loop.load %C[%di, %dj] : f32
// KEPT-NEXT:           loop.store %c, %D[%di, %dj] : f32
// KEPT-NEXT:         }
// KEPT-NEXT:       }
// KEPT-NEXT:       %d = loop.load %D[%ei, %ej] : f32
// KEPT-NEXT:       loop.store %d, %E_1[%ei, %ej] : f32
// KEPT-NEXT:     }
// KEPT-NEXT:   }
