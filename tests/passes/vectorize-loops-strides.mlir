// RUN: teloom-opt %s -p 'vectorize-loops' | filecheck %s

// Stride 0 is one scalar, stride 1 a vector; any other goes lane by lane.
// CHECK-LABEL: func.func @strides
func.func @strides(%n: index, %y: index, %A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>) {
  loop.for %i = 0 to 16 vectorized {
    // CHECK: %[[A:.*]] = memref.load %A[%y]
    %a = memref.load %A[%y] : memref<?xf32>
    // CHECK: %[[B:.*]] = vector.load %B[%{{.*}}] : memref<?xf32>, vector<16xf32>
    %b = memref.load %B[%i] : memref<?xf32>
    // CHECK: %[[S:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
    // CHECK-NEXT: loop.for %lane = 0 to 16 unrolled {
    // CHECK: memref.load %A
    // CHECK: memref.store %{{.*}}, %[[S]][%lane]
    // CHECK: %[[V:.*]] = vector.load %[[S]]
    %j = arith.muli %i, %n : index
    %s = memref.load %A[%j] : memref<?xf32>
    // CHECK: %[[W:.*]] = vector.broadcast %[[A]] : f32 to vector<16xf32>
    // CHECK-NEXT: arith.addf %[[W]], %[[B]] : vector<16xf32>
    %d = arith.addf %a, %b : f32
    %e = arith.mulf %d, %s : f32
    // CHECK: vector.store
    memref.store %e, %C[%i] : memref<?xf32>
  }
  func.return
}

// A quotient is the same in all lanes where a vector does not go beyond its divisor.
// CHECK-LABEL: func.func @fused
func.func @fused(%o: index, %A: memref<?xf32>, %B: memref<?xf32>) {
  loop.for %i = 0 to 16 vectorized {
    // CHECK: %[[Q:.*]] = affine.apply {{.*}} (%o)
    // CHECK-NEXT: memref.load %A[%[[Q]]]
    %q = affine.apply affine_map<(d0, d1) -> ((d0 * 16 + d1) floordiv 32)> (%o, %i)
    %a = memref.load %A[%q] : memref<?xf32>
    // CHECK: vector.store
    %r = affine.apply affine_map<(d0, d1) -> ((d0 * 16 + d1) mod 32)> (%o, %i)
    memref.store %a, %B[%r] : memref<?xf32>
  }
  func.return
}

// The number of the iteration as a value.
// CHECK-LABEL: func.func @numbers
func.func @numbers(%A: memref<?xi32>) {
  loop.for %i = 8 to 24 vectorized {
    // CHECK: %[[FIRST:.*]] = vector.broadcast %{{.*}} : index to vector<16xindex>
    // CHECK-NEXT: %[[STEPS:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xindex>
    // CHECK-NEXT: %[[ALL:.*]] = arith.addi %[[FIRST]], %[[STEPS]] : vector<16xindex>
    // CHECK-NEXT: arith.index_cast %[[ALL]] : vector<16xindex> to vector<16xi32>
    %a = arith.index_cast %i : index to i32
    memref.store %a, %A[%i] : memref<?xi32>
  }
  func.return
}
