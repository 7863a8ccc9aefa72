// RUN: teloom-opt %s -p inject-prefetch | filecheck %s

// Of a row, one element per line of 64 bytes, and the last: where lines begin is not known.
// CHECK-LABEL: func.func @row
func.func @row(%A: memref<100xf64>) {
  // CHECK-NEXT: loop.for %[[line:.*]] = 0 to 14 {
  loop.for %x = 0 to 100 {
    // CHECK-NEXT: %x = affine.min affine_map<(d0) -> ((d0 * 8), 99)> (%[[line]])
    // CHECK-NEXT: memref.prefetch %A[%x]
    memref.prefetch %A[%x], read, locality<3>, data : memref<100xf64>
  }
  func.return
}

// Bounds stay those of the elements; there may be none.
// CHECK-LABEL: func.func @some
func.func @some(%n: index, %i: index, %A: memref<?xf32>) {
  // CHECK-NEXT: loop.for %[[line:.*]] = 0 to min(%n - %i, (%n - %i + 14) floordiv 16 + 1) {
  loop.for %x = %i to %n {
    // CHECK-NEXT: affine.min affine_map<(d0, d1, d2) -> {{.*}} (%i, %[[line]], %n)
    memref.prefetch %A[%x], read, locality<3>, data : memref<?xf32>
  }
  func.return
}

// Of several lower bounds, the largest is computed first.
// CHECK-LABEL: func.func @later
func.func @later(%i: index, %A: memref<64xf32>) {
  // CHECK: %[[first:.*]] = arith.maxsi
  // CHECK-NEXT: loop.for %[[line:.*]] = 0 to min(5, %i * -1 + 64, (%i + 1) floordiv 16 * -1 + 5) {
  loop.for %x = max(0, %i) to 64 {
    // CHECK-NEXT: affine.min affine_map<(d0, d1) -> ((d0 + (d1 * 16)), 63)> (%[[first]], %[[line]])
    memref.prefetch %A[%x], read, locality<3>, data : memref<64xf32>
  }
  func.return
}

// Rows that are far apart are all prefetched; of rows of 4 elements, every fourth.
// CHECK-LABEL: func.func @rows
func.func @rows(%n: index, %A: memref<?xf32>, %B: memref<400xf32>) {
  // CHECK-NEXT: loop.for %y = 0 to 100 {
  loop.for %y = 0 to 100 {
    // CHECK-NEXT: loop.for %{{.*}} = 0 to 2 {
    loop.for %x = 0 to 4 {
      %row = arith.muli %y, %n : index
      %at = arith.addi %row, %x : index
      memref.prefetch %A[%at], read, locality<3>, data : memref<?xf32>
    }
  }
  // CHECK: loop.for %{{.*}} = 0 to 26 {
  // CHECK-NEXT: affine.min affine_map<(d0) -> ((d0 * 4), 99)>
  loop.for %y = 0 to 100 {
    // CHECK-NEXT: loop.for %{{.*}} = 0 to 2 {
    loop.for %x = 0 to 4 {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%y, %x)
      memref.prefetch %B[%at], read, locality<3>, data : memref<400xf32>
    }
  }
  func.return
}

// Down a column, each element is in a line of its own; so may be what a layout moves.
// CHECK-LABEL: func.func @apart
func.func @apart(%A: memref<6400xf32>, %B: memref<64x100xf32>) {
  // CHECK-NEXT: loop.for %y = 0 to 64 {
  loop.for %y = 0 to 64 {
    %at = affine.apply affine_map<(d0) -> (d0 * 100)> (%y)
    memref.prefetch %A[%at], read, locality<3>, data : memref<6400xf32>
  }
  // CHECK: loop.for %x = 0 to 64 {
  loop.for %x = 0 to 64 {
    %at = affine.apply affine_map<(d0) -> (d0 mod 3)> (%x)
    memref.prefetch %A[%at], read, locality<3>, data : memref<6400xf32>
  }
  // CHECK: loop.for %z = 0 to 64 {
  loop.for %z = 0 to 64 {
    memref.prefetch %B[%z, %z], read, locality<3>, data : memref<64x100xf32>
  }
  func.return
}

// A loop that does more stays, and one whose iterations are parallel.
// CHECK-LABEL: func.func @others
func.func @others(%A: memref<64xf32>, %x: f32) {
  // CHECK-NEXT: loop.for %i = 0 to 64 {
  loop.for %i = 0 to 64 {
    memref.prefetch %A[%i], read, locality<3>, data : memref<64xf32>
    memref.store %x, %A[%i] : memref<64xf32>
  }
  // CHECK: loop.for %j = 0 to 64 parallel {
  loop.for %j = 0 to 64 parallel {
    memref.prefetch %A[%j], read, locality<3>, data : memref<64xf32>
  }
  // CHECK: loop.for %k = 0 to 0 {
  loop.for %k = 0 to 0 {
    memref.prefetch %A[%k], read, locality<3>, data : memref<64xf32>
  }
  func.return
}
