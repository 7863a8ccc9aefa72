// RUN: teloom-opt %s --split-input-file -p partition-loops | filecheck %s

// Two points make three loops; in each a condition on the counter is settled.
// CHECK-LABEL: @border
func.func @border(%A: memref<64xf32>, %n: index) {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  // CHECK:      loop.for %i = 0 to 2 {
  // CHECK-NEXT:   loop.store %zero, %a[%i] : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: loop.for %i_1 = 2 to 62 {
  // CHECK-NEXT:   loop.store %one, %a[%i_1] : f32
  // CHECK-NEXT: }
  // CHECK-NEXT: loop.for %i_2 = 62 to 64 {
  // CHECK-NEXT:   loop.store %zero, %a[%i_2] : f32
  // CHECK-NEXT: }
  loop.for %i = 0 to 64 attributes {loop.separated = array<i64: 2, 62>} {
    loop.if (%i - 2 >= 0, 61 - %i >= 0) {
      loop.store %one, %a[%i] : f32
    } else {
      loop.store %zero, %a[%i] : f32
    }
  }
  func.return
}

// -----

// A point may lie where the call ends the loop, or outside.
// CHECK-LABEL: @sizes
func.func @sizes(%A: memref<?xf32>, %n: index) {
  %a = loop.bind %A [0 : %n] : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  // CHECK:      loop.for %i = 0 to min(%n, 8) parallel {
  // CHECK:      loop.for %i_1 = 8 to %n parallel {
  loop.for %i = 0 to %n parallel attributes {loop.separated = array<i64: 8>} {
    loop.store %zero, %a[%i] : f32
  }
  func.return
}
