// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// A subscript that depends on data may be anything: all of that axis is computed, of the other
// what is read.
te.func @root(%A: tensor<9x8xf32>, %I: tensor<5xi32>) -> (tensor<5x4xf32>) {
  %B = schedule.stage "B" (%x = 9, %y = 8) : tensor<9x8xf32> {
    schedule.order %x, %y
    schedule.equation (%x_1, %y_1) {
      %a = te.read %A[%x_1, %y_1] : f32
      te.yield %a : f32
    }
  }
  %G = schedule.stage "G" (%i = 5, %j = 4) : tensor<5x4xf32> {
    schedule.order %i, %j
    schedule.equation (%i_1, %j_1) {
      %n = te.read %I[%i_1] : i32
      %row = arith.index_cast %n : i32 to index
      %b = te.read %B[%row, %j_1 * 2] : f32
      te.yield %b : f32
    }
  }
  te.return %G : tensor<5x4xf32>
}

// CHECK-LABEL: te.func @root
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 9, %y = 8) : tensor<9x8xf32>
// CHECK-NEXT:     schedule.order %x, %y
// CHECK-NEXT:     schedule.region [0 : 9, 0 : 7]
// CHECK-NEXT:     schedule.range %x = 0 to 9
// CHECK-NEXT:     schedule.range %y = 0 to 7
// CHECK:        %G = schedule.stage "G" (%i = 5, %j = 4) : tensor<5x4xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 5
// CHECK-NEXT:     schedule.range %j = 0 to 4

// -----

// At the inner loop a whole column is computed for each element.
te.func @inner(%A: tensor<9x8xf32>, %I: tensor<5xi32>) -> (tensor<5x4xf32>) {
  %G = schedule.stage "G" (%i = 5, %j = 4) : tensor<5x4xf32> {
    schedule.order %i, %j
    %B = schedule.stage "B" at %j (%x = 9, %y = 8) : tensor<9x8xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %a = te.read %A[%x_1, %y_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %n = te.read %I[%i_1] : i32
      %row = arith.index_cast %n : i32 to index
      %b = te.read %B[%row, %j_1 * 2] : f32
      te.yield %b : f32
    }
  }
  te.return %G : tensor<5x4xf32>
}

// CHECK-LABEL: te.func @inner
// CHECK-NEXT:   %G = schedule.stage "G" (%i = 5, %j = 4) : tensor<5x4xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 5
// CHECK-NEXT:     schedule.range %j = 0 to 4
// CHECK-NEXT:     %B = schedule.stage "B" at %j (%x = 9, %y = 8) : tensor<9x8xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [0 : 9, %j * 2 : 1]
// CHECK-NEXT:       schedule.range %x = 0 to 9
// CHECK-NEXT:       schedule.range %y = %j * 2 to %j * 2 + 1

// -----

// A promise says where a subscript lies: that is computed, in terms of the axes around.
te.func @promised(%A: tensor<8x99xf32>, %I: tensor<8xi32>) -> (tensor<8xf32>) {
  %G = schedule.stage "G" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    %B = schedule.stage "B" at %i (%x = 8, %y = 99) : tensor<8x99xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %a = te.read %A[%x_1, %y_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1) {
      %n = te.read %I[%i_1] : i32
      %near = arith.index_cast %n : i32 to index
      %column = te.bounded %near in %i_1 to %i_1 + 16
      %b = te.read %B[%i_1, %column + 1] : f32
      te.yield %b : f32
    }
  }
  te.return %G : tensor<8xf32>
}

// CHECK-LABEL: te.func @promised
// CHECK:          %B = schedule.stage "B" at %i
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%i : 1, %i + 1 : 16]
// CHECK-NEXT:       schedule.range %x = %i to %i + 1
// CHECK-NEXT:       schedule.range %y = %i + 1 to %i + 17

// -----

// So does a clamp, whatever the data; and a type of few values.
te.func @clamped(%A: tensor<999x99xf32>, %I: tensor<8xi32>, %U: tensor<8xui8>) -> (tensor<8xf32>) {
  %B = schedule.stage "B" (%x = 999, %y = 99) : tensor<999x99xf32> {
    schedule.order %x, %y
    schedule.equation (%x_1, %y_1) {
      %a = te.read %A[%x_1, %y_1] : f32
      te.yield %a : f32
    }
  }
  %G = schedule.stage "G" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %n = te.read %I[%i_1] : i32
      %any = arith.index_cast %n : i32 to index
      %two = arith.constant 2 : index
      %seven = arith.constant 7 : index
      %most = arith.minsi %any, %seven : index
      %column = arith.maxsi %most, %two : index
      %u = te.read %U[%i_1] : i8
      %wide = arith.extui %u : i8 to i64
      %row = arith.index_cast %wide : i64 to index
      %b = te.read %B[%row, %column] : f32
      te.yield %b : f32
    }
  }
  te.return %G : tensor<8xf32>
}

// CHECK-LABEL: te.func @clamped
// CHECK-NEXT:   %B = schedule.stage "B"
// CHECK-NEXT:     schedule.order %x, %y
// CHECK-NEXT:     schedule.region [0 : 256, 2 : 6]
// CHECK-NEXT:     schedule.range %x = 0 to 256
// CHECK-NEXT:     schedule.range %y = 2 to 8

// -----

// A promise over another value from data bounds nothing there, and what is outside the tensor
// does not count.
te.func @beyond(%A: tensor<9xf32>, %I: tensor<8xi32>) -> (tensor<8xf32>) {
  %B = schedule.stage "B" (%x = 9) : tensor<9xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1] : f32
      te.yield %a : f32
    }
  }
  %G = schedule.stage "G" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %n = te.read %I[%i_1] : i32
      %first = arith.index_cast %n : i32 to index
      %second = te.bounded %first in %first to 5
      %third = te.bounded %first in 4 to 20
      %b = te.read %B[%second] : f32
      %c = te.read %B[%third] : f32
      %d = arith.addf %b, %c : f32
      te.yield %d : f32
    }
  }
  te.return %G : tensor<8xf32>
}

// CHECK-LABEL: te.func @beyond
// CHECK-NEXT:   %B = schedule.stage "B"
// CHECK-NEXT:     schedule.order %x
// CHECK-NEXT:     schedule.region [0 : 9]
// CHECK-NEXT:     schedule.range %x = 0 to 9

// -----

// A promise is kept in sums, multiples and clamps of what it is given for, and in both branches of
// a maximum.
te.func @reach(%A: tensor<256xf32>, %I: tensor<64xi32>) -> (tensor<64xf32>) {
  %G = schedule.stage "G" (%x = 64) reduce (%k = 3) : tensor<64xf32> {
    schedule.order %x, %k
    %B = schedule.stage "B" at %x (%e = 256) : tensor<256xf32> {
      schedule.order %e
      schedule.equation (%e_1) {
        %a = te.read %A[%e_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%x_1, %k_1) {
      %n = te.read %I[%x_1] : i32
      %any = arith.index_cast %n : i32 to index
      %near = te.bounded %any in %x_1 * 2 - 3 to %x_1 * 2 + 1
      %sum = arith.addi %near, %k_1 : index
      %zero = arith.constant 0 : index
      %last = arith.constant 255 : index
      %most = arith.minsi %sum, %last : index
      %at = arith.maxsi %most, %zero : index
      %b = te.read %B[%at] : f32
      te.yield %b : f32
    } combine (%y: f32, %z: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %y, %z : f32
      te.yield %s : f32
    }
  }
  te.return %G : tensor<64xf32>
}

// CHECK-LABEL: te.func @reach
// CHECK:          %B = schedule.stage "B" at %x
// CHECK-NEXT:       schedule.order %e
// CHECK-NEXT:       schedule.region [%x * 2 - 3 : 6]
// CHECK-NEXT:       schedule.range %e = max(0, %x * 2 - 3) to %x * 2 + 3

// -----

// One value is the same wherever it stands: of B only even rows are needed. A product of two values is anything.
te.func @twice(%A: tensor<999x99xf32>, %I: tensor<8xi32>) -> (tensor<8xf32>) {
  %G = schedule.stage "G" (%x = 8) : tensor<8xf32> {
    schedule.order %x
    %B = schedule.stage "B" at %x (%i = 999, %j = 99) : tensor<999x99xf32> {
      schedule.order %i, %j
      schedule.equation (%i_1, %j_1) {
        %a = te.read %A[%i_1, %j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%x_1) {
      %n = te.read %I[%x_1] : i32
      %any = arith.index_cast %n : i32 to index
      %near = te.bounded %any in %x_1 to %x_1 + 4
      %three = arith.constant 3 : index
      %much = arith.muli %near, %three : index
      %less = arith.subi %much, %near : index
      %square = arith.muli %near, %near : index
      %b = te.read %B[%less, %square] : f32
      te.yield %b : f32
    }
  }
  te.return %G : tensor<8xf32>
}

// CHECK-LABEL: te.func @twice
// CHECK:          %B = schedule.stage "B" at %x
// CHECK-NEXT:       schedule.order %i, %j
// CHECK-NEXT:       schedule.region [%x * 2 : 7, 0 : 99]
// CHECK-NEXT:       schedule.range %i = %x * 2 to %x * 2 + 7
// CHECK-NEXT:       schedule.range %j = 0 to 99
// CHECK-NEXT:       schedule.guard (%i mod 2 == 0)
