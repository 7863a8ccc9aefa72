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
