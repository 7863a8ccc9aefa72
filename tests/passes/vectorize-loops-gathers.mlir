// RUN: teloom-opt %s -p 'vectorize-loops' --cpu skylake-avx512 | filecheck %s
// RUN: teloom-opt %s -p 'vectorize-loops' --cpu znver4 | filecheck %s --check-prefix SPLIT

// Elements that data chooses are gathered, where the target does that fast; those of a mask, in it.
// A target that splits gathers has them in the place of a branch for each lane.
// CHECK-LABEL: func.func @chosen
// SPLIT-LABEL: func.func @chosen
// SPLIT: vector.extract
// SPLIT-NEXT: arith.index_cast
// SPLIT-NEXT: memref.load %A
// SPLIT: %[[P:.*]] = arith.cmpf ogt
// SPLIT: vector.gather %A[%{{.*}}] [%{{.*}}], %[[P]], %{{.*}}
// SPLIT-NOT: vector.gather
func.func @chosen(%A: memref<?xf32>, %I: memref<?xi32>, %B: memref<?xf32>, %zero: f32) {
  loop.for %i = 0 to 16 vectorized {
    // CHECK: %[[AT:.*]] = arith.index_cast %{{.*}} : vector<16xi32> to vector<16xindex>
    // CHECK: %[[A:.*]] = vector.gather %A[%{{.*}}] [%[[AT]]], %{{.*}}, %{{.*}} : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %n = memref.load %I[%i] : memref<?xi32>
    %at = arith.index_cast %n : i32 to index
    %a = memref.load %A[%at] : memref<?xf32>
    // CHECK: %[[P:.*]] = arith.cmpf ogt, %[[A]], %{{.*}} : vector<16xf32>
    // CHECK: vector.gather %A[%{{.*}}] [%{{.*}}], %[[P]], %{{.*}}
    %p = arith.cmpf ogt, %a, %zero : f32
    %b = scf.if %p -> (f32) {
      %next = affine.apply affine_map<(d0) -> (d0 * 2 + 1)> (%at)
      %x = memref.load %A[%next] : memref<?xf32>
      scf.yield %x : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %b, %B[%i] : memref<?xf32>
  }
  func.return
}

// Addresses that the number of a lane gives are scalars, and so are those of narrow elements.
// CHECK-LABEL: func.func @near
// CHECK-NOT: vector.gather
func.func @near(%m: index, %A: memref<?xf32>, %I: memref<?xi32>, %T: memref<256xi8>, %B: memref<?xf32>, %C: memref<?xi8>) {
  loop.for %i = 0 to 16 vectorized {
    %0 = affine.apply affine_map<(d0) -> (d0 * 5)> (%i)
    %a = memref.load %A[%0] : memref<?xf32>
    memref.store %a, %B[%i] : memref<?xf32>
    %n = memref.load %I[%i] : memref<?xi32>
    %at = arith.index_cast %n : i32 to index
    %t = memref.load %T[%at] : memref<256xi8>
    memref.store %t, %C[%i] : memref<?xi8>
  }
  func.return
}
