// RUN: teloom-opt %s -p 'vectorize-loops{bytes=32}' | filecheck %s
// RUN: teloom-opt %s --cpu x86-64-v3 -p vectorize-loops | filecheck %s --check-prefix MASKS

// Rows of six elements fill no squares of eight lanes: those of eight columns are transposed, and six of each row are stored, as four and two, or at once where the CPU has masks.
// MASKS-LABEL: func.func @stored
// MASKS-COUNT-8: vector.load
// MASKS:         %[[M:.*]] = arith.constant dense<[true, true, true, true, true, true, false, false]> : vector<8xi1>
// MASKS-COUNT-8: vector.maskedstore %C[{{.*}}], %[[M]], %{{.*}} : memref<128xf32>, vector<8xi1>, vector<8xf32>
// MASKS-NOT:     vector.{{.*}}store
// MASKS:         func.return
// CHECK-LABEL: func.func @stored
func.func @stored(%A: memref<128xf32>, %C: memref<128xf32>) {
  // CHECK: %[[P:.*]] = memref.alloca() {{.*}} : memref<64xf32>
  // CHECK: loop.for %k = 0 to 6 unrolled {
  // CHECK: vector.store %{{.*}}, %[[P]]
  // CHECK: }
  // CHECK-COUNT-8: vector.load %[[P]]
  // CHECK: %[[R:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3] : vector<8xf32>, vector<8xf32>
  // CHECK: vector.store %[[R]], %C
  // CHECK: %[[S:.*]] = vector.shuffle %{{.*}}, %{{.*}} [4, 5] : vector<8xf32>, vector<8xf32>
  // CHECK: vector.store %[[S]], %C
  // CHECK-COUNT-14: vector.store %{{.*}}, %C
  // CHECK-NOT: vector.store
  // CHECK: func.return
  loop.for %k = 0 to 6 unrolled {
    loop.for %i = 0 to 8 vectorized {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 16)> (%i, %k)
      %a = memref.load %A[%0] : memref<128xf32>
      %1 = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)> (%i, %k)
      memref.store %a, %C[%1] : memref<128xf32>
    }
  }
  func.return
}

// Rows that are loaded are so element by element: there may be nothing behind them.
// CHECK-LABEL: func.func @loaded
func.func @loaded(%A: memref<128xf32>, %C: memref<128xf32>) {
  // CHECK: loop.for %lane = 0 to 8 unrolled {
  loop.for %k = 0 to 6 unrolled {
    loop.for %i = 0 to 8 vectorized {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)> (%i, %k)
      %a = memref.load %A[%0] : memref<128xf32>
      %1 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 16)> (%i, %k)
      memref.store %a, %C[%1] : memref<128xf32>
    }
  }
  func.return
}
