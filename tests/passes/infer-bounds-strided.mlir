// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// A row of a convolution of stride 2 needs three rows; the padding at the edges is not computed.
te.func @conv(%A: tensor<9x9xf32>, %W: tensor<3x3xf32>) -> (tensor<5x5xf32>) {
  %B = te.compute "B" (%x = 9, %y = 9) : tensor<9x9xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 5, %j = 5) reduce (%p = 3, %q = 3) : tensor<5x5xf32> {
    %one = arith.constant 1 : index
    %nine = arith.constant 9 : index
    %row = "affine.apply"(%i, %p) <{map = affine_map<(d0, d1) -> (d0 * 2 + d1)>}> : (index, index) -> index
    %column = "affine.apply"(%j, %q) <{map = affine_map<(d0, d1) -> (d0 * 2 + d1)>}> : (index, index) -> index
    %below = arith.cmpi sge, %row, %one : index
    %above = arith.cmpi sle, %row, %nine : index
    %left = arith.cmpi sge, %column, %one : index
    %right = arith.cmpi sle, %column, %nine : index
    %rows = arith.andi %below, %above : i1
    %columns = arith.andi %left, %right : i1
    %inside = arith.andi %rows, %columns : i1
    %v = scf.if %inside -> (f32) {
      %b = te.read %B[%i * 2 + %p - 1, %j * 2 + %q - 1] : f32
      scf.yield %b : f32
    } else {
      %zero = arith.constant 0.0 : f32
      scf.yield %zero : f32
    }
    %w = te.read %W[%p, %q] : f32
    %m = arith.mulf %v, %w : f32
    te.yield %m : f32
  } combine (%u: f32, %v: f32) identity [0.0 : f32] {
    %s = arith.addf %u, %v : f32
    te.yield %s : f32
  }
  te.return %C : tensor<5x5xf32>
}
schedule.sequence @s on @conv {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j, %p, %q = schedule.axes 4 of %C
  schedule.compute_at %B, %C, %i
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
  %B = te.compute "B" (%x = 19) : tensor<19xf32> {
    %r0 = te.read %A[%x] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%i = 10) : tensor<10xf32> {
    %r0 = te.read %B[%i * 2] : f32
    te.yield %r0 : f32
  }
  te.return %C : tensor<10xf32>
}
schedule.sequence @s on @step {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 5
  schedule.compute_at %B, %C, %io
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
  %B = te.compute "B" (%x = 10) : tensor<10xf32> {
    %r0 = te.read %A[%x] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%i = 10) : tensor<10xf32> {
    %r0 = te.read %B[-%i + 9] : f32
    te.yield %r0 : f32
  }
  te.return %C : tensor<10xf32>
}
schedule.sequence @s on @backwards {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 4
  schedule.compute_at %B, %C, %io
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
