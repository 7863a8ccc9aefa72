// RUN: teloom-opt %s -p 'vectorize-loops' | filecheck %s

// Two lanes read one element: half a vector holds what all lanes are to.
// CHECK-LABEL: func.func @twice
// CHECK:      loop.for %[[N:.*]] = 0 to 2 unrolled {
// CHECK-NEXT:   %[[AT:.*]] = affine.apply affine_map<(d0) -> ((d0 * 8))> (%[[N]])
// CHECK-NEXT:   %[[V:.*]] = vector.load %A[%[[AT]]] : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:   %[[ALL:.*]] = vector.shuffle %[[V]], %[[V]] [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
// CHECK-NEXT:   %[[I:.*]] = affine.apply affine_map<(d0) -> ((d0 * 16))> (%[[N]])
// CHECK-NEXT:   vector.store %[[ALL]], %B[%[[I]]]
func.func @twice(%A: memref<?xf32>, %B: memref<?xf32>) {
  loop.for %i = 0 to 32 vectorized {
    %at = affine.apply affine_map<(d0) -> (d0 floordiv 2)> (%i)
    %a = memref.load %A[%at] : memref<?xf32>
    memref.store %a, %B[%i] : memref<?xf32>
  }
  func.return
}

// Nine elements are in two halves of vectors: a whole one would read behind the last of them.
// CHECK-LABEL: func.func @from_the_second_on
// CHECK: %[[ONE:.*]] = vector.load %A[%{{.*}}] : memref<?xf32>, vector<8xf32>
// CHECK: %[[TWO:.*]] = vector.load %A[%{{.*}}] : memref<?xf32>, vector<8xf32>
// CHECK: vector.shuffle %[[ONE]], %[[TWO]] [0, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15]
// CHECK-NOT: vector.load
func.func @from_the_second_on(%A: memref<?xf32>, %B: memref<?xf32>) {
  loop.for %i = 1 to 17 vectorized {
    %at = affine.apply affine_map<(d0) -> (d0 floordiv 2)> (%i)
    %a = memref.load %A[%at] : memref<?xf32>
    memref.store %a, %B[%i] : memref<?xf32>
  }
  func.return
}

// Lanes take elements of two parts in turn.
// CHECK-LABEL: func.func @in_turn
// CHECK: %[[EVEN:.*]] = vector.load %A[%{{.*}}] : memref<?xf32>, vector<8xf32>
// CHECK: %[[ODD:.*]] = vector.load %A[%{{.*}}] : memref<?xf32>, vector<8xf32>
// CHECK: vector.shuffle %[[EVEN]], %[[ODD]] [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]
func.func @in_turn(%A: memref<?xf32>, %B: memref<?xf32>) {
  loop.for %i = 0 to 16 vectorized {
    %at = affine.apply affine_map<(d0) -> (d0 floordiv 2 + d0 mod 2 * 100)> (%i)
    %a = memref.load %A[%at] : memref<?xf32>
    memref.store %a, %B[%i] : memref<?xf32>
  }
  func.return
}

// Of four parts, two and two vectors are joined, and then these.
// CHECK-LABEL: func.func @four
// CHECK-COUNT-4: vector.load %A[%{{.*}}] : memref<?xf32>, vector<4xf32>
// CHECK: %[[ONE:.*]] = vector.shuffle {{.*}} [0, 4, -1, -1, 1, 5, -1, -1, 2, 6, -1, -1, 3, 7, -1, -1] : vector<4xf32>, vector<4xf32>
// CHECK: %[[TWO:.*]] = vector.shuffle {{.*}} [-1, -1, 0, 4, -1, -1, 1, 5, -1, -1, 2, 6, -1, -1, 3, 7] : vector<4xf32>, vector<4xf32>
// CHECK: vector.shuffle %[[ONE]], %[[TWO]] [0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31]
func.func @four(%A: memref<?xf32>, %B: memref<?xf32>) {
  loop.for %i = 0 to 16 vectorized {
    %at = affine.apply affine_map<(d0) -> (d0 floordiv 4 + d0 mod 4 * 100)> (%i)
    %a = memref.load %A[%at] : memref<?xf32>
    memref.store %a, %B[%i] : memref<?xf32>
  }
  func.return
}

// Lanes that are nine elements apart would need as many vectors; of thirds, each vector has others.
// CHECK-LABEL: func.func @lane_by_lane
// CHECK-COUNT-2: loop.for %lane{{.*}} = 0 to 16 unrolled {
func.func @lane_by_lane(%A: memref<?xf32>, %B: memref<?xf32>) {
  loop.for %i = 0 to 16 vectorized {
    %at = affine.apply affine_map<(d0) -> (d0 * 9)> (%i)
    %third = affine.apply affine_map<(d0) -> (d0 floordiv 3)> (%i)
    %a = memref.load %A[%at] : memref<?xf32>
    %b = memref.load %A[%third] : memref<?xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %B[%i] : memref<?xf32>
  }
  func.return
}

// As of values of 4 bits in bytes.
// CHECK-LABEL: func.func @bytes
// CHECK: vector.load %A[%{{.*}}] : memref<?xi8>, vector<16xi8>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 0, 1, 1, {{.*}}, 15, 15] : vector<16xi8>, vector<16xi8>
func.func @bytes(%A: memref<?xi8>, %B: memref<?xi8>) {
  loop.for %i = 0 to 32 vectorized {
    %at = affine.apply affine_map<(d0) -> (d0 floordiv 2)> (%i)
    %a = memref.load %A[%at] : memref<?xi8>
    memref.store %a, %B[%i] : memref<?xi8>
  }
  func.return
}

// LLVM makes no end of vectors of so many bytes: there are two of half as many.
// CHECK-LABEL: func.func @many_bytes
// CHECK: loop.for %i = 0 to 2 unrolled {
// CHECK: vector.load %A[%{{.*}}] : memref<?xi8>, vector<16xi8>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 0, 1, 1, {{.*}}, 15, 15] : vector<16xi8>, vector<16xi8>
func.func @many_bytes(%A: memref<?xi8>, %B: memref<?xi8>) {
  loop.for %i = 0 to 64 vectorized {
    %at = affine.apply affine_map<(d0) -> (d0 floordiv 2)> (%i)
    %a = memref.load %A[%at] : memref<?xi8>
    memref.store %a, %B[%i] : memref<?xi8>
  }
  func.return
}
