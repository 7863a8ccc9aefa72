// RUN: teloom-opt %s --split-input-file -p collapse-parallel | filecheck %s

// Loops that begin anywhere; what is computed between them stays, and what the inner one begins at.
// CHECK-LABEL: func.func @between
func.func @between(%n: index, %x: f32, %A: memref<?xf32>) {
  // CHECK:      loop.for %[[BOTH:.*]] = 0 to %n * 6 - 6 parallel {
  // CHECK-NEXT:   %i = affine.apply affine_map<(d0) -> (((d0 floordiv 6) + 1))> (%[[BOTH]])
  // CHECK-NEXT:   %begin = affine.min affine_map<(d0) -> ((d0 * 4), 9)> (%i)
  // CHECK-NEXT:   %j = affine.apply affine_map<(d0, d1) -> ((d0 + (d1 mod 6)))> (%begin, %[[BOTH]])
  // CHECK-NEXT:   memref.store %x, %A[%j]
  // CHECK-NOT:  loop.for
  loop.for %i = 1 to %n parallel {
    %begin = affine.min affine_map<(d0) -> (d0 * 4, 9)> (%i)
    loop.for %j = %begin to %begin + 6 parallel {
      memref.store %x, %A[%j] : memref<?xf32>
    }
  }
  func.return
}

// -----

// Three loops are one.
// CHECK-LABEL: func.func @three
func.func @three(%x: f32, %A: memref<2x3x4xf32>) {
  // CHECK:      loop.for %[[ALL:.*]] = 0 to 24 parallel {
  // CHECK-NEXT:   %i = affine.apply affine_map<(d0) -> ((d0 floordiv 12))> (%[[ALL]])
  // CHECK-NEXT:   %[[REST:.*]] = affine.apply affine_map<(d0) -> ((d0 mod 12))> (%[[ALL]])
  // CHECK-NEXT:   %j = affine.apply affine_map<(d0) -> ((d0 floordiv 4))> (%[[REST]])
  // CHECK-NEXT:   %k = affine.apply affine_map<(d0) -> ((d0 mod 4))> (%[[REST]])
  // CHECK-NEXT:   memref.store %x, %A[%i, %j, %k]
  loop.for %i = 0 to 2 parallel {
    loop.for %j = 0 to 3 parallel {
      loop.for %k = 0 to 4 parallel {
        memref.store %x, %A[%i, %j, %k] : memref<2x3x4xf32>
      }
    }
  }
  func.return
}

// -----

// Each of two branches has a loop; where there is none, nothing is done.
// CHECK-LABEL: func.func @branches
func.func @branches(%x: f32, %A: memref<24xf32>, %B: memref<24xf32>) {
  // CHECK:      loop.for %[[BOTH:.*]] = 0 to 24 parallel {
  // CHECK-NEXT:   %i = affine.apply affine_map<(d0) -> ((d0 floordiv 6))> (%[[BOTH]])
  // CHECK-NEXT:   loop.if (%i * -1 + 2 >= 0) {
  // CHECK-NEXT:     %j = affine.apply affine_map<(d0) -> ((d0 mod 6))> (%[[BOTH]])
  // CHECK-NEXT:     memref.store %x, %A[%j]
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:     %k = affine.apply affine_map<(d0) -> ((d0 mod 6))> (%[[BOTH]])
  // CHECK-NEXT:     memref.store %x, %B[%k]
  loop.for %i = 0 to 4 parallel {
    loop.if (2 - %i >= 0) {
      loop.for %j = 0 to 6 parallel {
        memref.store %x, %A[%j] : memref<24xf32>
      }
    } else {
      loop.for %k = 0 to 6 parallel {
        memref.store %x, %B[%k] : memref<24xf32>
      }
    }
  }
  func.return
}

// -----

// The outer loop does something else, runs two loops one after the other, or the inner one has no
// constant extent, or another one in each branch, or one is dynamic, or annotated: these stay.
// CHECK-LABEL: func.func @stay
func.func @stay(%n: index, %x: f32, %A: memref<24xf32>) {
  // CHECK: loop.for %i = 0 to 4 parallel
  // CHECK: loop.for %j = 0 to 6 parallel
  loop.for %i = 0 to 4 parallel {
    memref.store %x, %A[%i] : memref<24xf32>
    loop.for %j = 0 to 6 parallel {
      memref.store %x, %A[%j] : memref<24xf32>
    }
  }
  // CHECK: loop.for %i_1 = 0 to 4 parallel
  // CHECK: loop.for %j_1 = 0 to 6 parallel
  // CHECK: loop.for %k = 0 to 6 parallel
  loop.for %i = 0 to 4 parallel {
    loop.for %j = 0 to 6 parallel {
      memref.store %x, %A[%j] : memref<24xf32>
    }
    loop.for %k = 0 to 6 parallel {
      memref.store %x, %A[%k] : memref<24xf32>
    }
  }
  // CHECK: loop.for %i_2 = 0 to 4 parallel
  // CHECK: loop.for %j_2 = 0 to %n parallel
  loop.for %i = 0 to 4 parallel {
    loop.for %j = 0 to %n parallel {
      memref.store %x, %A[%j] : memref<24xf32>
    }
  }
  // CHECK: loop.for %i_3 = 0 to 4 parallel
  // CHECK: loop.for %j_3 = 0 to 6 parallel
  // CHECK: loop.for %j_4 = 0 to 5 parallel
  loop.for %i = 0 to 4 parallel {
    loop.if (2 - %i >= 0) {
      loop.for %j = 0 to 6 parallel {
        memref.store %x, %A[%j] : memref<24xf32>
      }
    } else {
      loop.for %j = 0 to 5 parallel {
        memref.store %x, %A[%j] : memref<24xf32>
      }
    }
  }
  // CHECK: loop.for %i_4 = 0 to 4 parallel
  // CHECK: loop.for %j_5 = 0 to 6 parallel_dynamic
  loop.for %i = 0 to 4 parallel {
    loop.for %j = 0 to 6 parallel_dynamic {
      memref.store %x, %A[%j] : memref<24xf32>
    }
  }
  // CHECK: loop.for %i_5 = 0 to 4 parallel
  // CHECK: loop.for %j_6 = 0 to 6 parallel
  loop.for %i = 0 to 4 parallel attributes {user.note} {
    loop.for %j = 0 to 6 parallel {
      memref.store %x, %A[%j] : memref<24xf32>
    }
  }
  func.return
}
