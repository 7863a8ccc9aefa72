// RUN: teloom-opt %s -p 'vectorize-loops{bytes=16}' | filecheck %s

// A row minus a multiple of another one, in one buffer. The loops around say that i > k: so a lane
// never stores what another one loads, and the element in front of the row stays what it is. That
// is loaded in front of the loop, if this has an iteration. Nothing needs the number of lane 0 itself.
// CHECK-LABEL: func.func @eliminate
func.func @eliminate(%A: memref<2500xf32>) {
  loop.for %k = 0 to 49 {
    loop.for %i = %k + 1 to 50 {
      // CHECK:      %[[RUNS:.*]] = arith.cmpi sgt
      // CHECK:      %[[KEPT:.*]] = scf.if %[[RUNS]] -> (f32) {
      // CHECK-NEXT:   memref.load %A
      // CHECK:      loop.for
      // CHECK-NEXT:   %[[HERE:.*]] = affine.apply
      // CHECK-NEXT:   vector.load %A[%[[HERE]]]
      // CHECK-NEXT:   %[[ABOVE:.*]] = affine.apply
      // CHECK-NEXT:   vector.load %A[%[[ABOVE]]]
      // CHECK:      vector.broadcast %[[KEPT]] : f32 to vector<4xf32>
      loop.for %j = %k + 1 to 50 vectorized {
        %here = affine.apply affine_map<(d0, d1) -> (d0 * 50 + d1)> (%i, %j)
        %front = affine.apply affine_map<(d0, d1) -> (d0 * 50 + d1)> (%i, %k)
        %above = affine.apply affine_map<(d0, d1) -> (d0 * 50 + d1)> (%k, %j)
        %a = memref.load %A[%here] : memref<2500xf32>
        %f = memref.load %A[%front] : memref<2500xf32>
        %b = memref.load %A[%above] : memref<2500xf32>
        %p = arith.mulf %f, %b : f32
        %r = arith.subf %a, %p : f32
        memref.store %r, %A[%here] : memref<2500xf32>
      }
    }
  }
  func.return
}

// The loop begins at k, and stores the element itself: lanes wait for it.
// CHECK-LABEL: func.func @changes
func.func @changes(%A: memref<2500xf32>) {
  // CHECK-NOT: vector
  loop.for %k = 0 to 49 {
    loop.for %i = %k + 1 to 50 {
      loop.for %j = %k to 50 vectorized {
        %here = affine.apply affine_map<(d0, d1) -> (d0 * 50 + d1)> (%i, %j)
        %front = affine.apply affine_map<(d0, d1) -> (d0 * 50 + d1)> (%i, %k)
        %a = memref.load %A[%here] : memref<2500xf32>
        %f = memref.load %A[%front] : memref<2500xf32>
        %r = arith.subf %a, %f : f32
        memref.store %r, %A[%here] : memref<2500xf32>
      }
    }
  }
  func.return
}
