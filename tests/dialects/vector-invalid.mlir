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

// -----

// CHECK: error: position 99 is outside 0..15, those of axis 0 of vector<16xf32>
// CHECK-NEXT: %x = vector.extract
%v = "test.op"() : () -> vector<16xf32>
%x = vector.extract %v[99] : f32 from vector<16xf32>

// -----

// CHECK: error: position 4 is outside 0..3, those of axis 1 of vector<2x4xf32>
// CHECK-NEXT: %w = vector.insert
%x, %v = "test.op"() : () -> (f32, vector<2x4xf32>)
%w = vector.insert %x, %v[1, 4] : f32 into vector<2x4xf32>

// -----

// Integers and floats have their own reductions.
// CHECK: error: a reduction <xor> of vector<16xf32>; of f32 there are add, mul, minnumf, maxnumf, minimumf, maximumf
// CHECK-NEXT: %r = vector.reduction <xor>
%v = "test.op"() : () -> vector<16xf32>
%r = vector.reduction <xor>, %v : vector<16xf32> into f32

// -----

// CHECK: error: a reduction <maximumf> of vector<4xi32>; of i32 there are add, mul, minui, minsi, maxui, maxsi, and, or, xor
%v = "test.op"() : () -> vector<4xi32>
%r = vector.reduction <maximumf>, %v : vector<4xi32> into i32
