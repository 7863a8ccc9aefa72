// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// 0 to 2 and 5 to 7: stored is 0 to 7, computed what is read.
te.func @apart(%A: tensor<7xf32>) -> (tensor<2xf32>) {
  %B = schedule.stage "B" (%x = 7) : tensor<7xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %r0 = te.read %A[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 2) : tensor<2xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1] : f32
      %r1 = te.read %B[%i_1 + 5] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<2xf32>
}

// CHECK-LABEL: te.func @apart
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 7) : tensor<7xf32>
// CHECK-NEXT:     schedule.order %x
// CHECK-NEXT:     schedule.region [0 : 7]
// CHECK-NEXT:     schedule.range %x = 0 to 7
// CHECK-NEXT:     schedule.guard (%x - 5 >= 0) or (%x * -1 + 1 >= 0)
// CHECK:        %C = schedule.stage "C" (%i = 2) : tensor<2xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.region [0 : 2]
// CHECK-NEXT:     schedule.range %i = 0 to 2

// -----

// Two readers want two blocks of 2 x 2: stored are 4 x 4, computed 8 of the 16.
te.func @blocks(%A: tensor<4x4xf32>) -> (tensor<2x2xf32>) {
  %B = schedule.stage "B" (%x = 4, %y = 4) : tensor<4x4xf32> {
    schedule.order %x, %y
    schedule.equation (%x_1, %y_1) {
      %r0 = te.read %A[%x_1, %y_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 2, %j = 2) : tensor<2x2xf32> {
    schedule.order %i, %j
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      te.yield %r0 : f32
    }
  }
  %D = schedule.stage "D" (%k = 2, %l = 2) : tensor<2x2xf32> {
    schedule.order %k, %l
    schedule.equation (%k_1, %l_1) {
      %r0 = te.read %C[%k_1, %l_1] : f32
      %r1 = te.read %B[%k_1 + 2, %l_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %D : tensor<2x2xf32>
}

// CHECK-LABEL: te.func @blocks
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 4, %y = 4) : tensor<4x4xf32>
// CHECK-NEXT:     schedule.order %x, %y
// CHECK-NEXT:     schedule.region [0 : 4, 0 : 4]
// CHECK-NEXT:     schedule.range %x = 0 to 4
// CHECK-NEXT:     schedule.range %y = 0 to 4
// CHECK-NEXT:     schedule.guard (%x - 2 >= 0, %y - 2 >= 0) or (%x * -1 + 1 >= 0, %y * -1 + 1 >= 0)
// CHECK:        %C = schedule.stage "C" (%i = 2, %j = 2) : tensor<2x2xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     schedule.region [0 : 2, 0 : 2]
// CHECK-NEXT:     schedule.range %i = 0 to 2
// CHECK-NEXT:     schedule.range %j = 0 to 2
// CHECK:        %D = schedule.stage "D" (%k = 2, %l = 2) : tensor<2x2xf32>
// CHECK-NEXT:     schedule.order %k, %l
// CHECK-NEXT:     schedule.region [0 : 2, 0 : 2]
// CHECK-NEXT:     schedule.range %k = 0 to 2
// CHECK-NEXT:     schedule.range %l = 0 to 2

// -----

// At a row of the reader it is two half rows, two rows apart.
te.func @blocks_at_row(%A: tensor<4x4xf32>) -> (tensor<2x2xf32>) {
  %C = schedule.stage "C" (%i = 2, %j = 2) : tensor<2x2xf32> {
    schedule.order %i, %j
    %B = schedule.stage "B" at %i (%x = 4, %y = 4) : tensor<4x4xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1 + 2, %j_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<2x2xf32>
}

// CHECK-LABEL: te.func @blocks_at_row
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 2, %j = 2) : tensor<2x2xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     schedule.region [0 : 2, 0 : 2]
// CHECK-NEXT:     schedule.range %i = 0 to 2
// CHECK-NEXT:     schedule.range %j = 0 to 2
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%x = 4, %y = 4) : tensor<4x4xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%i : 3, 0 : 4]
// CHECK-NEXT:       schedule.range %x = %i to %i + 3
// CHECK-NEXT:       schedule.range %y = 0 to 4
// CHECK-NEXT:       schedule.guard (%x - %i - 2 == 0, %y - 2 >= 0) or (%x - %i == 0, %y * -1 + 1 >= 0)

// -----

// Five elements of 24, which no interval with a step holds: just these are computed.
te.func @sparse(%A: tensor<24xf32>) -> (tensor<1xf32>) {
  %B = schedule.stage "B" (%x = 24) : tensor<24xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %r0 = te.read %A[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 1) : tensor<1xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %B[0] : f32
      %r1 = te.read %B[10] : f32
      %r2 = te.read %B[20] : f32
      %r3 = te.read %B[22] : f32
      %r4 = te.read %B[23] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      %t3 = arith.addf %t2, %r3 : f32
      %t4 = arith.addf %t3, %r4 : f32
      te.yield %t4 : f32
    }
  }
  te.return %C : tensor<1xf32>
}

// CHECK-LABEL: te.func @sparse
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 24) : tensor<24xf32>
// CHECK-NEXT:     schedule.order %x
// CHECK-NEXT:     schedule.region [0 : 24]
// CHECK-NEXT:     schedule.range %x = 0 to 24
// CHECK-NEXT:     schedule.guard (%x - 22 >= 0) or (%x - 20 == 0) or (%x - 10 == 0) or (%x == 0)
// CHECK:        %C = schedule.stage "C" (%i = 1) : tensor<1xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.region [0 : 1]
// CHECK-NEXT:     schedule.range %i = 0 to 1

// -----

// The same at a point.
te.func @sparse_at(%A: tensor<32xf32>) -> (tensor<9xf32>) {
  %C = schedule.stage "C" (%i = 9) : tensor<9xf32> {
    schedule.order %i
    %B = schedule.stage "B" at %i (%x = 32) : tensor<32xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1] : f32
      %r1 = te.read %B[%i_1 + 10] : f32
      %r2 = te.read %B[%i_1 + 20] : f32
      %r3 = te.read %B[%i_1 + 22] : f32
      %r4 = te.read %B[%i_1 + 23] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      %t3 = arith.addf %t2, %r3 : f32
      %t4 = arith.addf %t3, %r4 : f32
      te.yield %t4 : f32
    }
  }
  te.return %C : tensor<9xf32>
}

// CHECK-LABEL: te.func @sparse_at
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 9) : tensor<9xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.region [0 : 9]
// CHECK-NEXT:     schedule.range %i = 0 to 9
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%x = 32) : tensor<32xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%i : 24]
// CHECK-NEXT:       schedule.range %x = %i to %i + 24
// CHECK-NEXT:       schedule.guard (%x - %i - 22 >= 0) or (%x - %i - 20 == 0) or (%x - %i - 10 == 0) or (%x - %i == 0)
