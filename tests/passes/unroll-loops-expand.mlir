// RUN: teloom-opt %s -p 'unroll-loops{expand=true}' | filecheck %s

// One copy of the body per iteration, of unrolled loops inside each other too.
// CHECK-LABEL: func.func @copies
func.func @copies(%n: index, %A: memref<?xf32>, %x: f32) {
  // CHECK: memref.store %x, %A[%n]
  // CHECK-NEXT: affine.apply affine_map<(d0) -> ((d0 + 1))> (%n)
  // CHECK-NEXT: memref.store
  // CHECK: %[[LAST:.*]] = affine.apply affine_map<(d0) -> ((d0 + 1))> (%n)
  // CHECK-NEXT: memref.store %x, %A[%[[LAST]]]
  // CHECK-NEXT: func.return
  loop.for %i = 0 to 2 unrolled {
    loop.for %j = %n + %i to %n + 2 unrolled {
      memref.store %x, %A[%j] : memref<?xf32>
    }
  }
  func.return
}
