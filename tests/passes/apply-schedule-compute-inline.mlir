// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The equation stands in the place of the read, at its subscripts.
te.func @affine(%A: tensor<99xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%x = 97) : tensor<97xf32> {
    %a = te.read %A[%x + 2] : f32
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  }
  %C = te.compute "C" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %b = te.read %B[%i * 8 + %j + 1] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @affine {
  %B = schedule.get "B"
  schedule.compute_inline %B
}

// CHECK-LABEL: te.func @affine
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 8, %j = 8) : tensor<8x8xf32>
// CHECK-NEXT:     schedule.order %i, %j
// CHECK-NEXT:     schedule.equation (%i_1, %j_1)
// CHECK-NEXT:       %a = te.read %A[%i_1 * 8 + %j_1 + 3] : f32
// CHECK-NEXT:       %b = arith.addf %a, %a : f32
// CHECK-NEXT:       te.yield %b : f32
// CHECK:        te.return %C : tensor<8x8xf32>

// -----

// An axis that is used as a value is computed from the subscript.
te.func @axis_value(%A: tensor<9xi64>) -> (tensor<8xi64>) {
  %B = te.compute "B" (%x = 9) : tensor<9xi64> {
    %v = arith.index_cast %x : index to i64
    te.yield %v : i64
  }
  %C = te.compute "C" (%i = 8) : tensor<8xi64> {
    %b = te.read %B[%i + 1] : i64
    te.yield %b : i64
  }
  te.return %C : tensor<8xi64>
}
schedule.sequence @s on @axis_value {
  %B = schedule.get "B"
  schedule.compute_inline %B
}

// CHECK-LABEL: te.func @axis_value
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 8) : tensor<8xi64>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.equation (%i_1)
// CHECK-NEXT:       %0 = affine.apply affine_map<(d0) -> ((d0 + 1))> (%i_1)
// CHECK-NEXT:       %v = arith.index_cast %0 : index to i64
// CHECK-NEXT:       te.yield %v : i64
// CHECK:        te.return %C : tensor<8xi64>

// -----

// A read at a value that depends on data stays one.
te.func @gather(%A: tensor<9xf32>, %I: tensor<5xi32>) -> (tensor<5xf32>) {
  %B = te.compute "B" (%x = 9) : tensor<9xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 5) : tensor<5xf32> {
    %n = te.read %I[%i] : i32
    %row = arith.index_cast %n : i32 to index
    %b = te.read %B[%row] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<5xf32>
}
schedule.sequence @s on @gather {
  %B = schedule.get "B"
  schedule.compute_inline %B
}

// CHECK-LABEL: te.func @gather
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 5) : tensor<5xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.equation (%i_1)
// CHECK-NEXT:       %n = te.read %I[%i_1] : i32
// CHECK-NEXT:       %row = arith.index_cast %n : i32 to index
// CHECK-NEXT:       %a = te.read %A[%row] : f32
// CHECK-NEXT:       te.yield %a : f32
// CHECK:        te.return %C : tensor<5xf32>

// -----

// A read that happens only sometimes is replaced where it is; the equation's own `scf.if` is
// copied whole.
te.func @lazy(%A: tensor<9xf32>) -> (tensor<11xf32>) {
  %B = te.compute "B" (%x = 10) : tensor<10xf32> {
    %one = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %in = arith.cmpi sge, %x, %one : index
    %v = scf.if %in -> (f32) {
      %a = te.read %A[%x - 1] : f32
      scf.yield %a : f32
    } else {
      scf.yield %zero : f32
    }
    te.yield %v : f32
  }
  %C = te.compute "C" (%i = 11) : tensor<11xf32> {
    %ten = arith.constant 10 : index
    %pad = arith.constant 1.0 : f32
    %in = arith.cmpi slt, %i, %ten : index
    %v = scf.if %in -> (f32) {
      %b = te.read %B[%i] : f32
      scf.yield %b : f32
    } else {
      scf.yield %pad : f32
    }
    te.yield %v : f32
  }
  te.return %C : tensor<11xf32>
}
schedule.sequence @s on @lazy {
  %B = schedule.get "B"
  schedule.compute_inline %B
}

// CHECK-LABEL: te.func @lazy
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 11) : tensor<11xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.equation (%i_1)
// CHECK-NEXT:       %ten = arith.constant 10 : index
// CHECK-NEXT:       %pad = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %in = arith.cmpi slt, %i_1, %ten : index
// CHECK-NEXT:       %v = scf.if %in -> (f32)
// CHECK-NEXT:         %one = arith.constant 1 : index
// CHECK-NEXT:         %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:         %in_1 = arith.cmpi sge, %i_1, %one : index
// CHECK-NEXT:         %v_1 = scf.if %in_1 -> (f32)
// CHECK-NEXT:           %a = te.read %A[%i_1 - 1] : f32
// CHECK-NEXT:           scf.yield %a : f32
// CHECK-NEXT:         } else {
// CHECK-NEXT:           scf.yield %zero : f32
// CHECK:              scf.yield %v_1 : f32
// CHECK-NEXT:       } else {
// CHECK-NEXT:         scf.yield %pad : f32
// CHECK:            te.yield %v : f32
// CHECK:        te.return %C : tensor<11xf32>

// -----

// What both branches read is read before them, so that its equation is copied once.
te.func @both(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %B = te.compute "B" (%x = 9) : tensor<9xf32> {
    %a = te.read %A[%x] : f32
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %a, %half : f32
    te.yield %h : f32
  }
  %C = te.compute "C" (%i = 9) : tensor<9xf32> {
    %four = arith.constant 4 : index
    %in = arith.cmpi slt, %i, %four : index
    %v = scf.if %in -> (f32) {
      %two = arith.constant 2.0 : f32
      %b = te.read %B[%i] : f32
      %d = arith.mulf %b, %two : f32
      scf.yield %d : f32
    } else {
      %c = te.read %B[%i] : f32
      %two_1 = arith.constant 2.0 : f32
      %e = arith.mulf %c, %two_1 : f32
      %f = arith.mulf %e, %c : f32
      scf.yield %f : f32
    }
    te.yield %v : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @both {
  %B = schedule.get "B"
  schedule.compute_inline %B
}

// CHECK-LABEL: te.func @both
// CHECK:          schedule.equation (%i_1) {
// CHECK-NEXT:       %four = arith.constant 4 : index
// CHECK-NEXT:       %in = arith.cmpi slt, %i_1, %four : index
// CHECK-NEXT:       %a = te.read %A[%i_1] : f32
// CHECK-NEXT:       %half = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:       %h = arith.mulf %a, %half : f32
// CHECK-NEXT:       %two = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:       %d = arith.mulf %h, %two : f32
// CHECK-NEXT:       %v = scf.if %in -> (f32) {
// CHECK-NEXT:         scf.yield %d : f32
// CHECK-NEXT:       } else {
// CHECK:              %f = arith.mulf %d, %h : f32
// CHECK-NEXT:         scf.yield %f : f32
// CHECK-NEXT:       }

// -----

// Of a stage with two results each read gets its own.
te.func @pair(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %P, %Q = te.compute "PQ" (%x = 9) : tensor<9xf32>, tensor<9xf32> {
    %a = te.read %A[%x] : f32
    %n = arith.negf %a : f32
    te.yield %a, %n : f32, f32
  }
  %C = te.compute "C" (%i = 9) : tensor<9xf32> {
    %q = te.read %Q[%i] : f32
    %p = te.read %P[-%i + 8] : f32
    %c = arith.mulf %p, %q : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @pair {
  %PQ = schedule.get "PQ"
  schedule.compute_inline %PQ
}

// CHECK-LABEL: te.func @pair
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 9) : tensor<9xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.equation (%i_1)
// CHECK-NEXT:       %a = te.read %A[%i_1] : f32
// CHECK-NEXT:       %n = arith.negf %a : f32
// CHECK-NEXT:       %a_1 = te.read %A[%i_1 * -1 + 8] : f32
// CHECK-NEXT:       %n_1 = arith.negf %a_1 : f32
// CHECK-NEXT:       %c = arith.mulf %a_1, %n : f32
// CHECK-NEXT:       te.yield %c : f32
// CHECK:        te.return %C : tensor<9xf32>

// -----

// Stages are inlined one into the other.
te.func @twice(%A: tensor<12xf32>) -> (tensor<10xf32>) {
  %B = te.compute "B" (%x = 11) : tensor<11xf32> {
    %a = te.read %A[%x + 1] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 10) : tensor<10xf32> {
    %b = te.read %B[%y + 1] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%z = 10) : tensor<10xf32> {
    %c = te.read %C[-%z + 9] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<10xf32>
}
schedule.sequence @s on @twice {
  %B = schedule.get "B"
  schedule.compute_inline %B
  %C = schedule.get "C"
  schedule.compute_inline %C
}

// CHECK-LABEL: te.func @twice
// CHECK-NEXT:   %D = schedule.stage "D" (%z = 10) : tensor<10xf32>
// CHECK-NEXT:     schedule.order %z
// CHECK-NEXT:     schedule.equation (%z_1)
// CHECK-NEXT:       %a = te.read %A[%z_1 * -1 + 11] : f32
// CHECK-NEXT:       te.yield %a : f32
// CHECK:        te.return %D : tensor<10xf32>

// -----

// A stage that nothing reads is removed.
te.func @dead(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12) : tensor<12xf32> {
    %a = te.read %A[%y] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @dead {
  %B = schedule.get "B"
  schedule.compute_inline %B
}

// CHECK-LABEL: te.func @dead
// CHECK-NEXT:   %C = schedule.stage "C" (%y = 12) : tensor<12xf32>
// CHECK-NEXT:     schedule.order %y
// CHECK-NEXT:     schedule.equation (%y_1)
// CHECK-NEXT:       %a = te.read %A[%y_1] : f32
// CHECK-NEXT:       te.yield %a : f32
// CHECK:        te.return %C : tensor<12xf32>

// -----

// A promise in the inlined equation stays one, about the reader's axes.
te.func @promise(%A: tensor<9xf32>, %I: tensor<5xi32>) -> (tensor<5xf32>) {
  %B = te.compute "B" (%i = 5) : tensor<5xf32> {
    %n = te.read %I[%i] : i32
    %near = arith.index_cast %n : i32 to index
    %at = te.bounded %near in %i to %i + 4
    %a = te.read %A[%at] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 5) : tensor<5xf32> {
    %b = te.read %B[%j * -1 + 4] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<5xf32>
}
schedule.sequence @s on @promise {
  %B = schedule.get "B"
  schedule.compute_inline %B
}

// CHECK-LABEL: te.func @promise
// CHECK:          schedule.equation (%j_1) {
// CHECK-NEXT:       %n = te.read %I[%j_1 * -1 + 4] : i32
// CHECK-NEXT:       %near = arith.index_cast %n : i32 to index
// CHECK-NEXT:       %at = te.bounded %near in %j_1 * -1 + 4 to %j_1 * -1 + 8
// CHECK-NEXT:       %a = te.read %A[%at] : f32
