// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// A row of a convolution of stride 2 needs three rows; the padding at the edges is not computed.
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
      %nine = arith.constant 9 : index
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

// CHECK-LABEL: te.func @conv
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 5, %j = 5) reduce (%p = 3, %q = 3) : tensor<5x5xf32>
// CHECK-NEXT:     schedule.order %i, %j, %p, %q
// CHECK-NEXT:     schedule.region [0 : 5, 0 : 5]
// CHECK-NEXT:     schedule.range %i = 0 to 5
// CHECK-NEXT:     schedule.range %j = 0 to 5
// CHECK-NEXT:     schedule.range %p = 0 to 3
// CHECK-NEXT:     schedule.range %q = 0 to 3
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%x = 9, %y = 9) : tensor<9x9xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%i * 2 - 1 : 3, 0 : 9]
// CHECK-NEXT:       schedule.range %x = max(0, %i * 2 - 1) to min(9, %i * 2 + 2)
// CHECK-NEXT:       schedule.range %y = 0 to 9

// -----

// Every second element is read: the box holds those between, and they are computed.
te.func @step(%A: tensor<19xf32>) -> (tensor<10xf32>) {
  %C = schedule.stage "C" (%i = 10) : tensor<10xf32> {
    %io, %ii = schedule.split %i factor 5
    schedule.order %io, %ii
    %B = schedule.stage "B" at %io (%x = 19) : tensor<19xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1 * 2] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<10xf32>
}

// CHECK-LABEL: te.func @step
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 10) : tensor<10xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 5
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 10]
// CHECK-NEXT:     schedule.range %io = 0 to 2
// CHECK-NEXT:     schedule.range %ii = 0 to 5
// CHECK-NEXT:     schedule.range %i = 0 to 10
// CHECK-NEXT:     schedule.value %i = %io * 5 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %io (%x = 19) : tensor<19xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%io * 10 : 9]
// CHECK-NEXT:       schedule.range %x = %io * 10 to %io * 10 + 9

// -----

// Backwards.
te.func @backwards(%A: tensor<10xf32>) -> (tensor<10xf32>) {
  %C = schedule.stage "C" (%i = 10) : tensor<10xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    %B = schedule.stage "B" at %io (%x = 10) : tensor<10xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1 * -1 + 9] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<10xf32>
}

// CHECK-LABEL: te.func @backwards
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 10) : tensor<10xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 10]
// CHECK-NEXT:     schedule.range %io = 0 to 3
// CHECK-NEXT:     schedule.range %ii = 0 to min(4, %io * -4 + 10)
// CHECK-NEXT:     schedule.range %i = 0 to 10
// CHECK-NEXT:     schedule.value %i = %io * 4 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %io (%x = 10) : tensor<10xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%io * -4 + 6 : 4]
// CHECK-NEXT:       schedule.range %x = max(0, %io * -4 + 6) to %io * -4 + 10
