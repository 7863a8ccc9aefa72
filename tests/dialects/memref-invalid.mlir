// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: 1 indices for memref<8x4xf32>
%A, %i = "test.op"() : () -> (memref<8x4xf32>, index)
memref.prefetch %A[%i], read, locality<3>, data : memref<8x4xf32>

// -----

// CHECK: locality 4: it must be in 0 .. 3
%A, %i = "test.op"() : () -> (memref<8xf32>, index)
memref.prefetch %A[%i], read, locality<4>, data : memref<8xf32>

// -----

// CHECK: expected read or write
%A, %i = "test.op"() : () -> (memref<8xf32>, index)
memref.prefetch %A[%i], both, locality<3>, data : memref<8xf32>

// -----

// CHECK: error: 0 offsets for memref<4x4xf32>, which needs 1
// CHECK-NEXT: %a = memref.reinterpret_cast
%A = "test.op"() : () -> memref<16xf32>
%a = memref.reinterpret_cast %A to offset: [], sizes: [4, 4], strides: [4, 1] : memref<16xf32> to memref<4x4xf32>

// -----

// CHECK: error: 1 strides for memref<4x4xf32>, which needs 2
%A = "test.op"() : () -> memref<16xf32>
%a = memref.reinterpret_cast %A to offset: [0], sizes: [4, 4], strides: [4] : memref<16xf32> to memref<4x4xf32>

// -----

// CHECK: error: 1 offsets for memref<4x8xf32>, which needs 2
// CHECK-NEXT: %a = memref.subview
%A = "test.op"() : () -> memref<4x8xf32>
%a = memref.subview %A[0] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1]>>

// -----

// CHECK: error: 1 sizes for memref<4x8xf32>, which needs 2
%A = "test.op"() : () -> memref<4x8xf32>
%a = memref.subview %A[0, 0] [4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1]>>

// -----

// CHECK: error: 3 strides for memref<4x8xf32>, which needs 2
%A = "test.op"() : () -> memref<4x8xf32>
%a = memref.subview %A[0, 0] [4, 4] [1, 1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1]>>
