// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// 3i + k - 3i is k, though 3i alone and -3i alone are far apart.
te.func @cancels(%A: tensor<2xf32>) -> (tensor<10x2xf32>) {
  %B = schedule.stage "B" (%x = 2) : tensor<2xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %r0 = te.read %A[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 10, %k = 2) : tensor<10x2xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %r0 = te.read %B[%i_1 * 3 + %k_1 - %i_1 * 3] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<10x2xf32>
}

// CHECK-LABEL: te.func @cancels
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 2) : tensor<2xf32>
// CHECK-NEXT:     schedule.order %x
// CHECK-NEXT:     schedule.region [0 : 2]
// CHECK-NEXT:     schedule.range %x = 0 to 2
// CHECK:        %C = schedule.stage "C" (%i = 10, %k = 2) : tensor<10x2xf32>
// CHECK-NEXT:     schedule.order %i, %k
// CHECK-NEXT:     schedule.region [0 : 10, 0 : 2]
// CHECK-NEXT:     schedule.range %i = 0 to 10
// CHECK-NEXT:     schedule.range %k = 0 to 2

// -----

// A sum and a difference of one pair of axes: two intervals, which a tile may keep apart.
te.func @of_two_axes(%A: tensor<32xf32>) -> (tensor<16x16xf32>) {
  %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32> {
    %io, %ii = schedule.split %i factor 4
    %jo, %ji = schedule.split %j factor 4
    schedule.order %io, %jo, %ii, %ji
    %B = schedule.stage "B" at %jo (%x = 32) : tensor<32xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1 + %j_1] : f32
      %r1 = te.read %B[%i_1 - %j_1 + 16] : f32
      %t1 = arith.addf %r0, %r1 : f32
      te.yield %t1 : f32
    }
  }
  te.return %C : tensor<16x16xf32>
}

// CHECK-LABEL: te.func @of_two_axes
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     schedule.order %io, %jo, %ii, %ji
// CHECK-NEXT:     schedule.region [0 : 16, 0 : 16]
// CHECK-NEXT:     schedule.range %io = 0 to 4
// CHECK-NEXT:     schedule.range %jo = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to 4
// CHECK-NEXT:     schedule.range %ji = 0 to 4
// CHECK-NEXT:     schedule.range %i = 0 to 16
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     schedule.value %j = %jo * 4 + %ji
// CHECK-NEXT:     schedule.value %i = %io * 4 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %jo (%x = 32) : tensor<32xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%io * 4 - %jo * 4 : 31]
// CHECK-NEXT:       schedule.range %x = %io * 4 - %jo * 4 to %io * 4 - %jo * 4 + 31
// CHECK-NEXT:       schedule.guard (%jo * 4 + %x - %io * 4 - 13 >= 0, %io * 4 - %jo * 4 - %x + 19 >= 0) or (%x - %io * 4 - %jo * 4 >= 0, %io * 4 + %jo * 4 - %x + 6 >= 0)

// -----

// Minima too: 3i and -3i are the lesser ones here, so that it is always element 0.
te.func @minima(%A: tensor<2xf32>) -> (tensor<10xf32>) {
  %C = schedule.stage "C" (%i = 10) : tensor<10xf32> {
    schedule.order %i
    %B = schedule.stage "B" at %i (%x = 2) : tensor<2xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1) {
      %three = arith.constant 3 : index
      %four = arith.constant 4 : index
      %minus_two = arith.constant -2 : index
      %minus_three = arith.constant -3 : index
      %a = arith.muli %i_1, %three : index
      %b = arith.muli %i_1, %four : index
      %c = arith.muli %i_1, %minus_three : index
      %d = arith.muli %i_1, %minus_two : index
      %low = arith.minsi %a, %b : index
      %high = arith.minsi %c, %d : index
      %at = arith.addi %low, %high : index
      %r = te.read %B[%at] : f32
      te.yield %r : f32
    }
  }
  te.return %C : tensor<10xf32>
}

// CHECK-LABEL: te.func @minima
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 10) : tensor<10xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.region [0 : 10]
// CHECK-NEXT:     schedule.range %i = 0 to 10
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%x = 2) : tensor<2xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [0 : 1]
// CHECK-NEXT:       schedule.range %x = 0 to 1
