// RUN: teloom-opt %s -p 'vectorize-loops{bytes=16}' | filecheck %s

// Each lane has a row of four elements: rows are loaded, and transposed, in front of the loop.
// CHECK-LABEL: func.func @rows
func.func @rows(%A: memref<64xf32>, %C: memref<64xf32>) {
  // CHECK: %[[P:.*]] = memref.alloca() {{.*}} : memref<16xf32>
  // CHECK-COUNT-4: vector.load %A[{{.*}}] : memref<64xf32>, vector<4xf32>
  // CHECK-NEXT: vector.shuffle %{{.*}}, %{{.*}} [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
  // CHECK-NEXT: vector.shuffle %{{.*}}, %{{.*}} [2, 6, 3, 7] : vector<4xf32>, vector<4xf32>
  // CHECK-COUNT-6: vector.shuffle
  // CHECK-COUNT-4: vector.store %{{.*}}, %[[P]]
  // CHECK: loop.for %k = 0 to 4 {
  // CHECK-NEXT: %[[K:.*]] = affine.apply affine_map<(d0) -> ((d0 * 4))> (%k)
  // CHECK-NEXT: %[[V:.*]] = vector.load %[[P]][%[[K]]]
  // CHECK: vector.store %[[V]], %C
  loop.for %i = 0 to 4 vectorized {
    loop.for %k = 0 to 4 {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)> (%i, %k)
      %a = memref.load %A[%0] : memref<64xf32>
      %1 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 16)> (%i, %k)
      memref.store %a, %C[%1] : memref<64xf32>
    }
  }
  func.return
}

// An unrolled loop around goes inside, and rows are stored behind it.
// CHECK-LABEL: func.func @around
func.func @around(%A: memref<64xf32>, %C: memref<64xf32>) {
  // CHECK: %[[P:.*]] = memref.alloca() {{.*}} : memref<16xf32>
  // CHECK: loop.for %k = 0 to 4 unrolled {
  // CHECK: %[[V:.*]] = vector.load %A
  // CHECK: vector.store %[[V]], %[[P]]
  // CHECK: }
  // CHECK-COUNT-4: vector.load %[[P]]
  // CHECK-COUNT-8: vector.shuffle
  // CHECK-COUNT-4: vector.store %{{.*}}, %C
  loop.for %k = 0 to 4 unrolled {
    loop.for %i = 0 to 4 vectorized {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 16)> (%i, %k)
      %a = memref.load %A[%0] : memref<64xf32>
      %1 = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)> (%i, %k)
      memref.store %a, %C[%1] : memref<64xf32>
    }
  }
  func.return
}

// A loop whose iterations read what others have written stays around.
// CHECK-LABEL: func.func @one_after_the_other
func.func @one_after_the_other(%A: memref<80xf32>, %C: memref<64xf32>) {
  // CHECK: loop.for %k = 0 to 4 unrolled {
  // CHECK: loop.for %lane = 0 to 4 unrolled {
  loop.for %k = 0 to 4 unrolled {
    loop.for %i = 0 to 4 vectorized {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)> (%i, %k)
      %a = memref.load %A[%0] : memref<80xf32>
      %1 = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1 + 1)> (%i, %k)
      memref.store %a, %A[%1] : memref<80xf32>
      %2 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 16)> (%i, %k)
      memref.store %a, %C[%2] : memref<64xf32>
    }
  }
  func.return
}

// Where both buffers are in one memory, one may be computed in place of the other, in this order.
// CHECK-LABEL: func.func @in_one_memory
func.func @in_one_memory(%M: memref<256xi8>) {
  // CHECK: loop.for %k = 0 to 4 unrolled {
  // CHECK: loop.for %lane = 0 to 4 unrolled {
  %0 = arith.constant 0 : index
  %A = memref.view %M[%0][] : memref<256xi8> to memref<64xf32>
  %C = memref.view %M[%0][] : memref<256xi8> to memref<64xi32>
  loop.for %k = 0 to 4 unrolled {
    loop.for %i = 0 to 4 vectorized {
      %1 = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)> (%i, %k)
      %a = memref.load %A[%1] : memref<64xf32>
      %b = arith.fptosi %a : f32 to i32
      %2 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 16)> (%i, %k)
      memref.store %b, %C[%2] : memref<64xi32>
    }
  }
  func.return
}
