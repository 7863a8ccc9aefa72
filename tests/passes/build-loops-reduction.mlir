// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// An element is set to the identity, then updated once per reduce iteration.
te.func @row_sum(%A: tensor<4x8xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    schedule.order %i unrolled, %k
    schedule.region [0 : 4]
    schedule.range %i = 0 to 4
    schedule.range %k = 0 to 8
    schedule.equation (%i_1, %k_1) {
      %r0 = te.read %A[%i_1, %k_1] : f32
      te.yield %r0 : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: func.func @row_sum
// CHECK:        loop.for %i = 0 to 4 unrolled {
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     loop.init %0, %S_1[%i] : f32
// CHECK-NEXT:     loop.for %k = 0 to 8 {
// CHECK-NEXT:       %r0 = loop.load %A_1[%i, %k] : f32
// CHECK-NEXT:       loop.reduce %r0 into %S_1[%i] : f32 combine (

// -----

// With the reduce axis outside, the init nest has loops of its own, before it.
te.func @reduce_outside(%A: tensor<4x8xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    schedule.order %k, %i
    schedule.region [0 : 4]
    schedule.range %k = 0 to 8
    schedule.range %i = 0 to 4
    schedule.equation (%i_1, %k_1) {
      %r0 = te.read %A[%i_1, %k_1] : f32
      te.yield %r0 : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: func.func @reduce_outside
// CHECK:        loop.for %i = 0 to 4 {
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     loop.init %0, %S_1[%i] : f32
// CHECK:        loop.for %k = 0 to 8 {
// CHECK-NEXT:     loop.for %i_1 = 0 to 4 {
// CHECK-NEXT:       %r0 = loop.load %A_1[%i_1, %k] : f32
// CHECK-NEXT:       loop.reduce %r0 into %S_1[%i_1] : f32 combine (

// -----

// The init nest stands where the first reduce loop begins, inside the loops around that.
te.func @tiles(%A: tensor<4x8xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    %io, %ii = schedule.split %i factor 2
    schedule.order %io, %k, %ii
    schedule.region [0 : 4]
    schedule.range %io = 0 to 2
    schedule.range %k = 0 to 8
    schedule.range %ii = 0 to 2
    schedule.range %i = 0 to 4
    schedule.value %i = %io * 2 + %ii
    schedule.equation (%i_1, %k_1) {
      %r0 = te.read %A[%i_1, %k_1] : f32
      te.yield %r0 : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: func.func @tiles
// CHECK:        loop.for %io = 0 to 2 {
// CHECK-NEXT:     loop.for %ii = 0 to 2 {
// CHECK-NEXT:       %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       loop.init %0, %S_1[%io * 2 + %ii] : f32
// CHECK:          loop.for %k = 0 to 8 {
// CHECK-NEXT:       loop.for %ii_1 = 0 to 2 {
// CHECK-NEXT:         %r0 = loop.load %A_1[%io * 2 + %ii_1, %k] : f32
// CHECK-NEXT:         loop.reduce %r0 into %S_1[%io * 2 + %ii_1] : f32 combine (

// -----

// A vectorized data loop is one in both nests.
te.func @kinds(%A: tensor<4x8xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    schedule.order %k, %i vectorized
    schedule.region [0 : 4]
    schedule.range %k = 0 to 8
    schedule.range %i = 0 to 4
    schedule.equation (%i_1, %k_1) {
      %r0 = te.read %A[%i_1, %k_1] : f32
      te.yield %r0 : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: func.func @kinds
// CHECK:        loop.for %i = 0 to 4 vectorized {
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     loop.init %0, %S_1[%i] : f32
// CHECK:        loop.for %k = 0 to 8 {
// CHECK-NEXT:     loop.for %i_1 = 0 to 4 vectorized {
// CHECK-NEXT:       %r0 = loop.load %A_1[%i_1, %k] : f32
// CHECK-NEXT:       loop.reduce %r0 into %S_1[%i_1] : f32 combine (

// -----

// What is computed at a reduce axis is computed in the update nest.
te.func @attached(%A: tensor<4x8xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.region [0 : 4]
    schedule.range %i = 0 to 4
    schedule.range %k = 0 to 8
    %B = schedule.stage "B" at %k (%x = 4, %y = 8) : tensor<4x8xf32> {
      schedule.order %x, %y
      schedule.region [%i : 1, %k : 1]
      schedule.range %x = %i to %i + 1
      schedule.range %y = %k to %k + 1
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %k_1) {
      %r0 = te.read %B[%i_1, %k_1] : f32
      te.yield %r0 : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: func.func @attached
// CHECK:        loop.for %i = 0 to 4 {
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     loop.init %0, %S_1[%i] : f32
// CHECK-NEXT:     loop.for %k = 0 to 8 {
// CHECK-NEXT:       %B = loop.realize "B" [%i : 1, %k : 1] : !loop.tensor<2, f32>
// CHECK-NEXT:       %r0 = loop.load %A_1[%i, %k] : f32
// CHECK-NEXT:       loop.store %r0, %B[%i, %k] : f32
// CHECK-NEXT:       %r0_1 = loop.load %B[%i, %k] : f32
// CHECK-NEXT:       loop.reduce %r0_1 into %S_1[%i] : f32 combine (

// -----

// What a condition leaves out is not read: the update gets the identity there.
te.func @below_diagonal(%A: tensor<4x8xi32>) -> (tensor<4xi32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 8) : tensor<4xi32> {
    schedule.order %i, %k
    schedule.region [0 : 4]
    schedule.range %i = 0 to 4
    schedule.range %k = 0 to 8
    schedule.equation (%i_1, %k_1) {
      %c = arith.cmpi slt, %k_1, %i_1 : index
      %v = scf.if %c -> (i32) {
        %a = te.read %A[%i_1, %k_1] : i32
        scf.yield %a : i32
      } else {
        %zero = arith.constant 0 : i32
        scf.yield %zero : i32
      }
      te.yield %v : i32
    } combine (%x: i32, %y: i32) identity [0 : i32] {
      %s = arith.addi %x, %y : i32
      te.yield %s : i32
    }
  }
  te.return %S : tensor<4xi32>
}

// CHECK-LABEL: func.func @below_diagonal
// CHECK:          loop.for %k = 0 to 8 {
// CHECK-NEXT:       %c = arith.cmpi slt, %k, %i : index
// CHECK-NEXT:       %v = scf.if %c -> (i32) {
// CHECK-NEXT:         %a = loop.load %A_1[%i, %k] : i32
// CHECK:            } else {
// CHECK:            }
// CHECK-NEXT:       loop.reduce %{{.*}} into %S_1[%i] : i32 combine (
