// RUN: teloom-opt %s -p 'vectorize-loops{scalar=true}' | filecheck %s

// Vectorized loops become serial, also inside of each other; others keep their kind.

// CHECK-LABEL: func.func @scale
func.func @scale(%A: memref<64xf32>) {
  // CHECK: loop.for %i = 0 to 8 unrolled {
  loop.for %i = 0 to 8 unrolled {
    // CHECK-NEXT: loop.for %j = 0 to 8 {
    loop.for %j = 0 to 8 vectorized {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %j)
      // CHECK: %a = memref.load %A[%at] : memref<64xf32>
      %a = memref.load %A[%at] : memref<64xf32>
      // CHECK-NEXT: %b = arith.addf %a, %a : f32
      %b = arith.addf %a, %a : f32
      memref.store %b, %A[%at] : memref<64xf32>
    }
  }
  func.return
}
