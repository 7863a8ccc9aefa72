// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// A guard is tested as soon as its axes have values. One on data axes holds for init and update, one
// on a reduce axis only for the update. The reduce axis of C is none of B: around B it is a loop like
// any other.
te.func @kept_in_init(%A: tensor<20xf32>) -> (tensor<4xf32>) {
  %C = schedule.stage "C" (%j = 4) reduce (%r = 3) : tensor<4xf32> {
    schedule.order %r, %j
    schedule.region [0 : 4]
    schedule.range %r = 0 to 3
    schedule.range %j = 0 to 4
    %B = schedule.stage "B" at %r (%i = 9) reduce (%k = 3) : tensor<9xf32> {
      schedule.order %i, %k
      schedule.region [%r : 4]
      schedule.range %i = %r to %r + 5
      schedule.range %k = 0 to 3
      schedule.guard (%r - %i + 3 >= 0, %r + %k - 1 >= 0)
      schedule.equation (%p, %q) {
        %a = te.read %A[%p + %q] : f32
        te.yield %a : f32
      } combine (%x: f32, %y: f32) identity [0.0 : f32] {
        %s = arith.addf %x, %y : f32
        te.yield %s : f32
      }
    }
    schedule.equation (%p, %q) {
      %b = te.read %B[%p + %q] : f32
      te.yield %b : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<4xf32>
}

// CHECK-LABEL: func.func @kept_in_init
// CHECK:        loop.for %j = 0 to 4 {
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     loop.init %0, %C_1[%j] : f32
// CHECK:        loop.for %r = 0 to 3 {
// CHECK-NEXT:     %B = loop.realize "B" [%r : 4] : !loop.tensor<1, f32>
// CHECK-NEXT:     loop.for %i = %r to %r + 5 {
// CHECK-NEXT:       loop.if (%r - %i + 3 >= 0) {
// CHECK-NEXT:         %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:         loop.init %1, %B[%i] : f32
// CHECK-NEXT:         loop.for %k = 0 to 3 {
// CHECK-NEXT:           loop.if (%r + %k - 1 >= 0) {
// CHECK-NEXT:             %a = loop.load %A_1[%i + %k] : f32
// CHECK-NEXT:             loop.reduce %a into %B[%i] : f32 combine (
// CHECK:          loop.for %j_1 = 0 to 4 {
// CHECK-NEXT:       %b = loop.load %B[%j_1 + %r] : f32
// CHECK-NEXT:       loop.reduce %b into %C_1[%j_1] : f32 combine (

// -----

// Equalities are tested too; a consumed axis is written as its value.
te.func @equality(%A: tensor<4xf32>) -> (tensor<4xf32>) {
  %B = schedule.stage "B" (%x = 4) : tensor<4xf32> {
    %xo, %xi = schedule.split %x factor 2
    schedule.order %xo, %xi
    schedule.region [0 : 4]
    schedule.range %xo = 0 to 2
    schedule.range %xi = 0 to 2
    schedule.range %x = 0 to 4
    schedule.value %x = %xo * 2 + %xi
    schedule.guard (%x floordiv 3 * 3 - %x == 0)
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %B : tensor<4xf32>
}

// CHECK-LABEL: func.func @equality
// CHECK:        loop.for %xo = 0 to 2 {
// CHECK-NEXT:     loop.for %xi = 0 to 2 {
// CHECK-NEXT:       loop.if ((%xo * 2 + %xi) mod 3 == 0) {
// CHECK-NEXT:         %a = loop.load %A_1[%xo * 2 + %xi] : f32
// CHECK-NEXT:         loop.store %a, %B_1[%xo * 2 + %xi] : f32

// -----

// A value that is no affine expression is computed before it is compared and used.
te.func @parts(%n: index, %A: tensor<?xf32>[%n + 2]) -> (tensor<1xf32>) {
  %S = schedule.stage "S" (%i = 1) reduce (%k = 2 to %n + 2) : tensor<1xf32> {
    %ko, %ki = schedule.split %k nparts 2
    schedule.order %i, %ko, %ki
    schedule.region [0 : 1]
    schedule.range %i = 0 to 1
    schedule.range %ko = 0 to 2
    schedule.range %ki = 0 to %n ceildiv 2
    schedule.range %k = 2 to %n + 2
    schedule.guard (%n - %k + 1 >= 0)
    schedule.equation (%p, %q) {
      %a = te.read %A[%q] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<1xf32>
}

// CHECK-LABEL: func.func @parts
// CHECK:        loop.init %0, %S_1[0] : f32
// CHECK-NEXT:   loop.for %ko = 0 to 2 {
// CHECK-NEXT:     loop.for %ki = 0 to %n ceildiv 2 {
// CHECK-NEXT:       %1 = affine.apply affine_map<(d0) -> ((d0 ceildiv 2))> (%n)
// CHECK-NEXT:       %2 = arith.muli %ko, %1 : index
// CHECK-NEXT:       loop.if (%n - %2 - %ki - 1 >= 0) {
// CHECK-NEXT:         %a = loop.load %A_1[%2 + %ki + 2] : f32
// CHECK-NEXT:         loop.reduce %a into %S_1[0] : f32 combine (

// -----

// Constraints of one guard on different axes are tested apart, each outside the loops that it does not
// depend on; alternatives stay together. An init part inside a reduce loop has its own tests.
te.func @far_out(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %S = schedule.stage "S" (%i = 8, %j = 8) reduce (%k = 4) : tensor<8x8xf32> {
    schedule.order %i, %k, %j
    schedule.region [0 : 8, 0 : 8]
    schedule.range %i = 0 to 8
    schedule.range %k = 0 to 4
    schedule.range %j = 0 to 8
    schedule.guard (%i - 1 >= 0, %j - 2 >= 0, %i + %j - 3 >= 0)
    schedule.guard (%j - 5 >= 0) or (%i - 6 >= 0)
    schedule.guard (%k - 1 >= 0)
    schedule.equation (%p, %q, %r) {
      %a = te.read %A[%p, %q] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @far_out
// CHECK:        loop.for %i = 0 to 8 {
// CHECK-NEXT:     loop.if (%i - 1 >= 0) {
// CHECK-NEXT:       loop.for %j = 0 to 8 {
// CHECK-NEXT:         loop.if (%j - 5 >= 0) or (%i - 6 >= 0) {
// CHECK-NEXT:           loop.if (%j - 2 >= 0, %i + %j - 3 >= 0) {
// CHECK-NEXT:             %0 = arith.constant 0.000000e+00 : f32
// CHECK:            loop.for %k = 0 to 4 {
// CHECK-NEXT:         loop.if (%k - 1 >= 0) {
// CHECK-NEXT:           loop.for %j_1 = 0 to 8 {
// CHECK-NEXT:             loop.if (%j_1 - 5 >= 0) or (%i - 6 >= 0) {
// CHECK-NEXT:               loop.if (%j_1 - 2 >= 0, %i + %j_1 - 3 >= 0) {
// CHECK-NEXT:                 %a = loop.load %A_1[%i, %j_1] : f32
