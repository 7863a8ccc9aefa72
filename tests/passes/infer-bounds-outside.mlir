// RUN: not teloom-opt %s --split-input-file -p infer-bounds 2>&1 | filecheck %s

// An index that is outside, and where it is read.
// CHECK: error: infer-bounds: stage "C" at [19] reads A[20], but axis 0 of A runs from 0 to 19
te.func @f(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1 + 1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// -----

// Below 0.
// CHECK: error: infer-bounds: stage "C" at [0] reads A[-3], but axis 0 of A runs from 0 to 19
te.func @f(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1 - 3] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// -----

// A scheduled stage is named by its own axes.
// CHECK: error: infer-bounds: stage "C" at [19] reads A[38], but axis 0 of A runs from 0 to 19
te.func @f(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 8
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1 * 2] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// -----

// Sizes for which it happens.
// CHECK: error: infer-bounds: when n >= 1: stage "C" at [0] reads A[1], but axis 0 of A runs from 0 to 0 (here n = 1)
te.func @f(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1 + 1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// -----

// CHECK: error: infer-bounds: when n >= 4: stage "C" at [7] reads A[7], but axis 0 of A runs from 0 to 6 (here n = 4)
te.func @f(%n: index, %A: tensor<?xf32>[%n + 3]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n * 2) : tensor<?xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// -----

// A stage that is read outside.
// CHECK: error: infer-bounds: stage "C" at [19] reads B[20], but axis 0 of B runs from 0 to 19
te.func @f(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = schedule.stage "B" (%x = 20) : tensor<20xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %r0 = te.read %A[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1 + 1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// -----

// An empty tensor.
// CHECK: error: infer-bounds: stage "C" at [19] reads A[19], but axis 0 of A is empty
te.func @f(%A: tensor<0xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// -----

// Of a gather the axis that depends on data is not known.
// CHECK: error: infer-bounds: stage "G" at [4, 3] reads B[?, 9], but axis 1 of B runs from 0 to 7
te.func @f(%A: tensor<9x8xf32>, %I: tensor<5xi32>) -> (tensor<5x4xf32>) {
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
      %b = te.read %B[%row, %j_1 * 3] : f32
      te.yield %b : f32
    }
  }
  te.return %G : tensor<5x4xf32>
}

// -----

// The condition around the read excludes other elements.
// CHECK: error: infer-bounds: stage "C" at [4, 0, 2, 1] reads B[9, 0], but axis 0 of B runs from 0 to 8
te.func @conv(%A: tensor<9x9xf32>, %W: tensor<3x3xf32>) -> (tensor<5x5xf32>) {
  %C = schedule.stage "C" (%i = 5, %j = 5) reduce (%p = 3, %q = 3) : tensor<5x5xf32> {
    schedule.order %i, %j, %p, %q
    %B = schedule.stage "B" at %i (%x = 9, %y = 9) : tensor<9x9xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %a = te.read %A[%x_1, %y_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1, %j_1, %p_1, %q_1) {
      %one = arith.constant 1 : index
      %nine = arith.constant 10 : index
      %row = affine.apply affine_map<(d0, d1) -> (((d0 * 2) + d1))> (%i_1, %p_1)
      %column = affine.apply affine_map<(d0, d1) -> (((d0 * 2) + d1))> (%j_1, %q_1)
      %below = arith.cmpi sge, %row, %one : index
      %above = arith.cmpi sle, %row, %nine : index
      %left = arith.cmpi sge, %column, %one : index
      %right = arith.cmpi sle, %column, %nine : index
      %rows = arith.andi %below, %above : i1
      %columns = arith.andi %left, %right : i1
      %inside = arith.andi %rows, %columns : i1
      %v = scf.if %inside -> (f32) {
        %b = te.read %B[%i_1 * 2 + %p_1 - 1, %j_1 * 2 + %q_1 - 1] : f32
        scf.yield %b : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      %w = te.read %W[%p_1, %q_1] : f32
      %m = arith.mulf %v, %w : f32
      te.yield %m : f32
    } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %u, %v : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<5x5xf32>
}

// -----

// The condition is over all sizes; what counts negative stands on the right.
// CHECK: error: infer-bounds: when m >= 1 and n * 3 >= m * 2 + 3: stage "C" at [{{[0-9]+}}, 0] reads A[
te.func @two_sizes(%n: index, %m: index, %A: tensor<?xf32>[%m * 2]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = %m) : tensor<?x?xf32> {
    schedule.order %i, %j
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1 * 3] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// -----

// A condition of several pieces is not said, only a point.
// CHECK: error: infer-bounds: stage "C" at [{{[0-9]+}}] reads A[{{[-0-9]+}}], but axis 0 of A runs from 0 to 4 (n = {{[0-9]+}})
te.func @pieces(%n: index, %A: tensor<5xf32>) -> (tensor<1xf32>) {
  %C = schedule.stage "C" (%i = 1) : tensor<1xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %a = te.read %A[%n mod 7] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<1xf32>
}

// -----

// Who needs the element, up to an output: a sum, at a point where its condition holds.
// CHECK: error: infer-bounds: when n >= 4: stage "B" at [3] reads A[4], but axis 0 of A runs from 0 to 3; B[3] is read by C[1], which is read by D[0] (here n = 4)
te.func @f(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<4xf32>) {
  %B = schedule.stage "B" (%i = %n) : tensor<?xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1 + 1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%j = %n - 2) : tensor<?xf32> {
    schedule.order %j
    schedule.equation (%j_1) {
      %b = te.read %B[%j_1 + 2] : f32
      te.yield %b : f32
    }
  }
  %D = schedule.stage "D" (%d = 4) reduce (%r = %n - 2) : tensor<4xf32> {
    schedule.order %d, %r
    schedule.equation (%d_1, %r_1) {
      %zero = arith.constant 0.0 : f32
      %is_behind = arith.cmpi sgt, %r_1, %d_1 : index
      %0 = scf.if %is_behind -> (f32) {
        %c = te.read %C[%r_1] : f32
        scf.yield %c : f32
      } else {
        scf.yield %zero : f32
      }
      te.yield %0 : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %D : tensor<4xf32>
}
