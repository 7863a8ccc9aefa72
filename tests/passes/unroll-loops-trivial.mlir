// RUN: teloom-opt %s -p 'unroll-loops' | filecheck %s
// RUN: teloom-opt %s -p 'unroll-loops{keep-trivial=true}' | filecheck %s --check-prefix=KEPT

// A loop that runs once is its body, whatever its kind; its variable is its lower bound.
// CHECK-LABEL: func.func @once
// KEPT-LABEL: func.func @once
func.func @once(%n: index, %A: memref<?xf32>, %x: f32) {
  // KEPT-NEXT: loop.for %i = 4 to 5 {
  // CHECK-NEXT: %i = arith.constant 4 : index
  loop.for %i = 4 to 5 {
    // KEPT-NEXT: loop.for %j = %i + %n to %i + %n + 1 parallel {
    // CHECK-NEXT: %j = affine.apply affine_map<(d0) -> ((d0 + 4))> (%n)
    loop.for %j = %i + %n to %i + %n + 1 parallel {
      // CHECK-NEXT: memref.store %x, %A[%j]
      memref.store %x, %A[%j] : memref<?xf32>
    }
  }
  func.return
}

// It may run once, or not: it stays.
// CHECK-LABEL: func.func @perhaps
func.func @perhaps(%n: index, %A: memref<?xf32>, %x: f32) {
  // CHECK-NEXT: loop.for %i = 0 to min(1, %n) {
  loop.for %i = 0 to min(1, %n) {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}
