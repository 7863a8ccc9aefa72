// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// B is read where j <= i: at the root its triangle is computed.
te.func @root(%A: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %B = schedule.stage "B" (%x = 16, %y = 16) : tensor<16x16xf32> {
    schedule.order %x, %y
    schedule.equation (%x_1, %y_1) {
      %r0 = te.read %A[%x_1, %y_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32> {
    schedule.order %i, %j
    schedule.equation (%i_1, %j_1) {
      %in = arith.cmpi sle, %j_1, %i_1 : index
      %v = scf.if %in -> (f32) {
        %b = te.read %B[%i_1, %j_1] : f32
        scf.yield %b : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      te.yield %v : f32
    }
  }
  te.return %C : tensor<16x16xf32>
}

// CHECK-LABEL: te.func @root
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 16, %y = 16) : tensor<16x16xf32>
// CHECK-NEXT:     schedule.order %x, %y
// CHECK-NEXT:     schedule.region [0 : 16, 0 : 16]
// CHECK-NEXT:     schedule.range %x = 0 to 16
// CHECK-NEXT:     schedule.range %y = 0 to %x + 1
// CHECK:        %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     schedule.region [0 : 16, 0 : 16]
// CHECK-NEXT:     schedule.range %i = 0 to 16
// CHECK-NEXT:     schedule.range %j = 0 to 16

// -----

// At a row, what of the row is left of the diagonal and on it.
te.func @at_row(%A: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32> {
    schedule.order %i, %j
    %B = schedule.stage "B" at %i (%x = 16, %y = 16) : tensor<16x16xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %in = arith.cmpi sle, %j_1, %i_1 : index
      %v = scf.if %in -> (f32) {
        %b = te.read %B[%i_1, %j_1] : f32
        scf.yield %b : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      te.yield %v : f32
    }
  }
  te.return %C : tensor<16x16xf32>
}

// CHECK-LABEL: te.func @at_row
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     schedule.region [0 : 16, 0 : 16]
// CHECK-NEXT:     schedule.range %i = 0 to 16
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%x = 16, %y = 16) : tensor<16x16xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%i : 1, 0 : 16]
// CHECK-NEXT:       schedule.range %x = %i to %i + 1
// CHECK-NEXT:       schedule.range %y = 0 to %i + 1

// -----

// At an element nothing is computed above the diagonal.
te.func @at_element(%A: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32> {
    schedule.order %i, %j
    %B = schedule.stage "B" at %j (%x = 16, %y = 16) : tensor<16x16xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %in = arith.cmpi sle, %j_1, %i_1 : index
      %v = scf.if %in -> (f32) {
        %b = te.read %B[%i_1, %j_1] : f32
        scf.yield %b : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      te.yield %v : f32
    }
  }
  te.return %C : tensor<16x16xf32>
}

// CHECK-LABEL: te.func @at_element
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     schedule.region [0 : 16, 0 : 16]
// CHECK-NEXT:     schedule.range %i = 0 to 16
// CHECK-NEXT:     schedule.range %j = 0 to 16
// CHECK-NEXT:     %B = schedule.stage "B" at %j (%x = 16, %y = 16) : tensor<16x16xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%i : 1, %j : 1]
// CHECK-NEXT:       schedule.range %x = %i to %i + 1
// CHECK-NEXT:       schedule.range %y = %j to %j + 1
// CHECK-NEXT:       schedule.guard (%i - %j >= 0)

// -----

// At a tile: nothing above the diagonal, a triangle on it, a square below it.
te.func @at_tile(%A: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %C = schedule.stage "C" (%i = 16, %j = 16) : tensor<16x16xf32> {
    %io, %ii = schedule.split %i factor 4
    %jo, %ji = schedule.split %j factor 4
    schedule.order %io, %jo, %ii, %ji
    %B = schedule.stage "B" at %jo (%x = 16, %y = 16) : tensor<16x16xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %in = arith.cmpi sle, %j_1, %i_1 : index
      %v = scf.if %in -> (f32) {
        %b = te.read %B[%i_1, %j_1] : f32
        scf.yield %b : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      te.yield %v : f32
    }
  }
  te.return %C : tensor<16x16xf32>
}

// CHECK-LABEL: te.func @at_tile
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
// CHECK-NEXT:     %B = schedule.stage "B" at %jo (%x = 16, %y = 16) : tensor<16x16xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%io * 4 : 4, %jo * 4 : 4]
// CHECK-NEXT:       schedule.range %x = %io * 4 to %io * 4 + 4
// CHECK-NEXT:       schedule.range %y = %jo * 4 to min(%jo * 4 + 4, %x + 1)

// -----

// The same at a row of n.
te.func @symbolic(%n: index, %A: tensor<?x?xf32>[%n, %n]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %n) : tensor<?x?xf32> {
    schedule.order %i, %j
    %B = schedule.stage "B" at %i (%x = %n, %y = %n) : tensor<?x?xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %in = arith.cmpi sle, %j_1, %i_1 : index
      %v = scf.if %in -> (f32) {
        %b = te.read %B[%i_1, %j_1] : f32
        scf.yield %b : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      te.yield %v : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @symbolic
// CHECK-NEXT:   %C = schedule.stage "C" (%i = %n, %j = %n) : tensor<?x?xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     schedule.region [0 : %n, 0 : %n]
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %j = 0 to %n
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%x = %n, %y = %n) : tensor<?x?xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%i : 1, 0 : %i + 1]
// CHECK-NEXT:       schedule.range %x = %i to %i + 1
// CHECK-NEXT:       schedule.range %y = 0 to %i + 1

// -----

// And at the root.
te.func @symbolic_root(%n: index, %A: tensor<?x?xf32>[%n, %n]) -> (tensor<?x?xf32>) {
  %B = schedule.stage "B" (%x = %n, %y = %n) : tensor<?x?xf32> {
    schedule.order %x, %y
    schedule.equation (%x_1, %y_1) {
      %r0 = te.read %A[%x_1, %y_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = %n, %j = %n) : tensor<?x?xf32> {
    schedule.order %i, %j
    schedule.equation (%i_1, %j_1) {
      %in = arith.cmpi sle, %j_1, %i_1 : index
      %v = scf.if %in -> (f32) {
        %b = te.read %B[%i_1, %j_1] : f32
        scf.yield %b : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      te.yield %v : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: te.func @symbolic_root
// CHECK-NEXT:   %B = schedule.stage "B" (%x = %n, %y = %n) : tensor<?x?xf32>
// CHECK-NEXT:     schedule.order %x, %y
// CHECK-NEXT:     schedule.region [0 : %n, 0 : %n]
// CHECK-NEXT:     schedule.range %x = 0 to %n
// CHECK-NEXT:     schedule.range %y = 0 to %x + 1
// CHECK:        %C = schedule.stage "C" (%i = %n, %j = %n) : tensor<?x?xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     schedule.region [0 : %n, 0 : %n]
// CHECK-NEXT:     schedule.range %i = 0 to %n
// CHECK-NEXT:     schedule.range %j = 0 to %n
