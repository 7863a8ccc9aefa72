// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: 2 offsets for memref<?xf32>
%A, %i, %at, %m, %v = "test.op"() : () -> (memref<?xf32>, index, vector<4xindex>, vector<4xi1>, vector<4xf32>)
%x = vector.gather %A[%i, %i] [%at], %m, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>

// -----

// CHECK: vector<4xf64> and vector<4xf64> out of memref<?xf32>
%A, %i, %at, %m, %v = "test.op"() : () -> (memref<?xf32>, index, vector<4xindex>, vector<4xi1>, vector<4xf64>)
%x = vector.gather %A[%i] [%at], %m, %v : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf64> into vector<4xf64>

// -----

// CHECK: vector<8xindex> for the lanes of vector<4xf32>
%A, %i, %at, %m, %v = "test.op"() : () -> (memref<?xf32>, index, vector<8xindex>, vector<4xi1>, vector<4xf32>)
%x = vector.gather %A[%i] [%at], %m, %v : memref<?xf32>, vector<8xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
