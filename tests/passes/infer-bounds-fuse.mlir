// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// Two elements of a row of four: half a row.
te.func @by2(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %C = schedule.stage "C" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 2
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 4, %y = 4) : tensor<4x4xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<4x4xf32>
}

// CHECK-LABEL: te.func @by2
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 4, %j = 4) : tensor<4x4xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 2
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 4, 0 : 4]
// CHECK-NEXT:     schedule.range %fo = 0 to 8
// CHECK-NEXT:     schedule.range %fi = 0 to 2
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %j = 0 to 4
// CHECK-NEXT:     schedule.range %f = 0 to 16
// CHECK-NEXT:     schedule.value %j = (%fo * 2 + %fi) mod 4
// CHECK-NEXT:     schedule.value %i = (%fo * 2 + %fi) floordiv 4
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%x = 4, %y = 4) : tensor<4x4xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%fo floordiv 2 : 1, %fo mod 2 * 2 : 2]
// CHECK-NEXT:       schedule.range %x = %fo floordiv 2 to %fo floordiv 2 + 1
// CHECK-NEXT:       schedule.range %y = %fo * 2 - %x * 4 to %fo * 2 - %x * 4 + 2

// -----

// Three elements of rows of four may span two rows.
te.func @by3(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %C = schedule.stage "C" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 3
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 4, %y = 4) : tensor<4x4xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<4x4xf32>
}

// CHECK-LABEL: te.func @by3
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 4, %j = 4) : tensor<4x4xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 3
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 4, 0 : 4]
// CHECK-NEXT:     schedule.range %fo = 0 to 6
// CHECK-NEXT:     schedule.range %fi = 0 to min(3, %fo * -3 + 16)
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %j = 0 to 4
// CHECK-NEXT:     schedule.range %f = 0 to 16
// CHECK-NEXT:     schedule.value %j = (%fo * 3 + %fi) mod 4
// CHECK-NEXT:     schedule.value %i = (%fo * 3 + %fi) floordiv 4
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%x = 4, %y = 4) : tensor<4x4xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%fo * 3 floordiv 4 : 2, 0 : 4]
// CHECK-NEXT:       schedule.range %x = %fo * 3 floordiv 4 to min(4, (%fo * 3 + 2) floordiv 4 + 1)
// CHECK-NEXT:       schedule.range %y = max(0, %fo * 3 - %x * 4) to min(4, %fo * 3 - %x * 4 + 3)

// -----

// A row.
te.func @by4(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %C = schedule.stage "C" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 4
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 4, %y = 4) : tensor<4x4xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<4x4xf32>
}

// CHECK-LABEL: te.func @by4
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 4, %j = 4) : tensor<4x4xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 4
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 4, 0 : 4]
// CHECK-NEXT:     schedule.range %fo = 0 to 4
// CHECK-NEXT:     schedule.range %fi = 0 to 4
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %j = 0 to 4
// CHECK-NEXT:     schedule.range %f = 0 to 16
// CHECK-NEXT:     schedule.value %j = %fi
// CHECK-NEXT:     schedule.value %i = %fo
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%x = 4, %y = 4) : tensor<4x4xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%fo : 1, 0 : 4]
// CHECK-NEXT:       schedule.range %x = %fo to %fo + 1
// CHECK-NEXT:       schedule.range %y = 0 to 4

// -----

// Two rows.
te.func @by8(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %C = schedule.stage "C" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 8
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 4, %y = 4) : tensor<4x4xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<4x4xf32>
}

// CHECK-LABEL: te.func @by8
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 4, %j = 4) : tensor<4x4xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 8
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 4, 0 : 4]
// CHECK-NEXT:     schedule.range %fo = 0 to 2
// CHECK-NEXT:     schedule.range %fi = 0 to 8
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %j = 0 to 4
// CHECK-NEXT:     schedule.range %f = 0 to 16
// CHECK-NEXT:     schedule.value %j = %fi mod 4
// CHECK-NEXT:     schedule.value %i = %fo * 2 + %fi floordiv 4
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%x = 4, %y = 4) : tensor<4x4xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%fo * 2 : 2, 0 : 4]
// CHECK-NEXT:       schedule.range %x = %fo * 2 to %fo * 2 + 2
// CHECK-NEXT:       schedule.range %y = 0 to 4

// -----

// Half a row of six.
te.func @half_row(%A: tensor<12x6xf32>) -> (tensor<12x6xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 6) : tensor<12x6xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 3
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 12, %y = 6) : tensor<12x6xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<12x6xf32>
}

// CHECK-LABEL: te.func @half_row
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 6) : tensor<12x6xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 3
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 12, 0 : 6]
// CHECK-NEXT:     schedule.range %fo = 0 to 24
// CHECK-NEXT:     schedule.range %fi = 0 to 3
// CHECK-NEXT:     schedule.range %i = 0 to 12
// CHECK-NEXT:     schedule.range %j = 0 to 6
// CHECK-NEXT:     schedule.range %f = 0 to 72
// CHECK-NEXT:     schedule.value %j = (%fo * 3 + %fi) mod 6
// CHECK-NEXT:     schedule.value %i = (%fo * 3 + %fi) floordiv 6
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%x = 12, %y = 6) : tensor<12x6xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%fo floordiv 2 : 1, %fo mod 2 * 3 : 3]
// CHECK-NEXT:       schedule.range %x = %fo floordiv 2 to %fo floordiv 2 + 1
// CHECK-NEXT:       schedule.range %y = %fo * 3 - %x * 6 to %fo * 3 - %x * 6 + 3

// -----

// Nine elements of rows of six span two rows; of each row what is needed is computed.
te.func @by9(%A: tensor<12x6xf32>) -> (tensor<12x6xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 6) : tensor<12x6xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 9
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 12, %y = 6) : tensor<12x6xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<12x6xf32>
}

// CHECK-LABEL: te.func @by9
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 6) : tensor<12x6xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 9
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 12, 0 : 6]
// CHECK-NEXT:     schedule.range %fo = 0 to 8
// CHECK-NEXT:     schedule.range %fi = 0 to 9
// CHECK-NEXT:     schedule.range %i = 0 to 12
// CHECK-NEXT:     schedule.range %j = 0 to 6
// CHECK-NEXT:     schedule.range %f = 0 to 72
// CHECK-NEXT:     schedule.value %j = (%fo * 9 + %fi) mod 6
// CHECK-NEXT:     schedule.value %i = (%fo * 9 + %fi) floordiv 6
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%x = 12, %y = 6) : tensor<12x6xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%fo * 3 floordiv 2 : 2, 0 : 6]
// CHECK-NEXT:       schedule.range %x = %fo * 3 floordiv 2 to %fo * 3 floordiv 2 + 2
// CHECK-NEXT:       schedule.range %y = max(0, %fo * 9 - %x * 6) to min(6, %fo * 9 - %x * 6 + 9)

// -----

// Ten elements of rows of six span up to three.
te.func @by10(%A: tensor<12x6xf32>) -> (tensor<12x6xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 6) : tensor<12x6xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 10
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 12, %y = 6) : tensor<12x6xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<12x6xf32>
}

// CHECK-LABEL: te.func @by10
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 6) : tensor<12x6xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 10
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 12, 0 : 6]
// CHECK-NEXT:     schedule.range %fo = 0 to 8
// CHECK-NEXT:     schedule.range %fi = 0 to min(10, %fo * -10 + 72)
// CHECK-NEXT:     schedule.range %i = 0 to 12
// CHECK-NEXT:     schedule.range %j = 0 to 6
// CHECK-NEXT:     schedule.range %f = 0 to 72
// CHECK-NEXT:     schedule.value %j = (%fo * 10 + %fi) mod 6
// CHECK-NEXT:     schedule.value %i = (%fo * 10 + %fi) floordiv 6
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%x = 12, %y = 6) : tensor<12x6xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%fo * 5 floordiv 3 : 3, 0 : 6]
// CHECK-NEXT:       schedule.range %x = %fo * 5 floordiv 3 to min(12, (%fo * 5 + 1) floordiv 3 + 2)
// CHECK-NEXT:       schedule.range %y = max(0, %fo * 10 - %x * 6) to min(6, %fo * 10 - %x * 6 + 10)

// -----

// Two rows of six.
te.func @by12(%A: tensor<12x6xf32>) -> (tensor<12x6xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 6) : tensor<12x6xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 12
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fo (%x = 12, %y = 6) : tensor<12x6xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<12x6xf32>
}

// CHECK-LABEL: te.func @by12
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 6) : tensor<12x6xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 12
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 12, 0 : 6]
// CHECK-NEXT:     schedule.range %fo = 0 to 6
// CHECK-NEXT:     schedule.range %fi = 0 to 12
// CHECK-NEXT:     schedule.range %i = 0 to 12
// CHECK-NEXT:     schedule.range %j = 0 to 6
// CHECK-NEXT:     schedule.range %f = 0 to 72
// CHECK-NEXT:     schedule.value %j = %fi mod 6
// CHECK-NEXT:     schedule.value %i = %fo * 2 + %fi floordiv 6
// CHECK-NEXT:     %B = schedule.stage "B" at %fo (%x = 12, %y = 6) : tensor<12x6xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%fo * 2 : 2, 0 : 6]
// CHECK-NEXT:       schedule.range %x = %fo * 2 to %fo * 2 + 2
// CHECK-NEXT:       schedule.range %y = 0 to 6

// -----

// At an element of the fused axis, that element: its column is known by its row.
te.func @at_element(%A: tensor<12x6xf32>) -> (tensor<12x6xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 6) : tensor<12x6xf32> {
    %f = schedule.fuse %i, %j
    %fo, %fi = schedule.split %f factor 10
    schedule.order %fo, %fi
    %B = schedule.stage "B" at %fi (%x = 12, %y = 6) : tensor<12x6xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<12x6xf32>
}

// CHECK-LABEL: te.func @at_element
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 6) : tensor<12x6xf32>
// CHECK-NEXT:     %f = schedule.fuse %i, %j
// CHECK-NEXT:     %fo, %fi = schedule.split %f factor 10
// CHECK-NEXT:     schedule.order %fo, %fi
// CHECK-NEXT:     schedule.region [0 : 12, 0 : 6]
// CHECK-NEXT:     schedule.range %fo = 0 to 8
// CHECK-NEXT:     schedule.range %fi = 0 to min(10, %fo * -10 + 72)
// CHECK-NEXT:     schedule.range %i = 0 to 12
// CHECK-NEXT:     schedule.range %j = 0 to 6
// CHECK-NEXT:     schedule.range %f = 0 to 72
// CHECK-NEXT:     schedule.value %j = (%fo * 10 + %fi) mod 6
// CHECK-NEXT:     schedule.value %i = (%fo * 10 + %fi) floordiv 6
// CHECK-NEXT:     %B = schedule.stage "B" at %fi (%x = 12, %y = 6) : tensor<12x6xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [(%fo * 10 + %fi) floordiv 6 : 1, (%fo * 10 + %fi) mod 6 : 1]
// CHECK-NEXT:       schedule.range %x = (%fo * 10 + %fi) floordiv 6 to (%fo * 10 + %fi) floordiv 6 + 1
// CHECK-NEXT:       schedule.range %y = (%fo * 10 + %fi) mod 6 to (%fo * 10 + %fi) mod 6 + 1

// -----

// A single axis, data or reduce: the new one runs from 0, wherever that starts.
te.func @single(%n: index, %A: tensor<?x8xf32>[%n, 8]) -> (tensor<?xf32>) {
  %S = schedule.stage "S" (%i = %n) reduce (%k = 2 to 8) : tensor<?xf32> {
    %f = schedule.fuse %i
    %g = schedule.fuse %k
    schedule.order %f, %g
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[%i_1, %k_1] : f32
      te.yield %a : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<?xf32>
}

// CHECK-LABEL: te.func @single
// CHECK:         schedule.order %f, %g
// CHECK:         schedule.range %f = 0 to %n
// CHECK-NEXT:    schedule.range %g = 0 to 6
// CHECK:         schedule.value %k = %g + 2
// CHECK-NEXT:    schedule.value %i = %f

// -----

// An axis with one value divides nothing: the next one is the whole quotient.
te.func @behind_one(%A: tensor<1x7x4xf32>) -> (tensor<1x7x4xf32>) {
  %C = schedule.stage "C" (%i = 1, %j = 7, %k = 4) : tensor<1x7x4xf32> {
    %f = schedule.fuse %i, %j, %k
    schedule.order %f
    schedule.equation (%i_1, %j_1, %k_1) {
      %r0 = te.read %A[%i_1, %j_1, %k_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<1x7x4xf32>
}

// CHECK-LABEL: te.func @behind_one
// CHECK:          schedule.value %k = %f mod 4
// CHECK-NEXT:     schedule.value %i = 0
// CHECK-NEXT:     schedule.value %j = %f floordiv 4
