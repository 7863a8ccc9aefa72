// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

%A, %B, %i = "test.op"() : () -> (memref<?xf32>, memref<4x?xi8>, index)
%at, %near, %m, %v, %w = "test.op"() : () -> (vector<4xindex>, vector<4xi32>, vector<4xi1>, vector<4xf32>, vector<4xi8>)

// An element for each lane, behind the one at the offsets.
// CHECK: vector.gather %A[%i] [%at], %m, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
%x = vector.gather %A[%i] [%at], %m, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK: vector.gather %B[%i, %i] [%near], %m, %w {note} : memref<4x?xi8>, vector<4xi32>
%y = vector.gather %B[%i, %i] [%near], %m, %w {note} : memref<4x?xi8>, vector<4xi32>, vector<4xi1>, vector<4xi8> into vector<4xi8>
