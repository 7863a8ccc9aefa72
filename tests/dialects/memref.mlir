// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

%A, %B, %i = "test.op"() : () -> (memref<8x4xf32>, memref<i32>, index)

// What a prefetch is for: a read or a write, how near and for how long, data or code.
// CHECK: memref.prefetch %A[%i, %i], read, locality<3>, data : memref<8x4xf32>
memref.prefetch %A[%i, %i], read, locality<3>, data : memref<8x4xf32>
// CHECK: memref.prefetch %B[], write, locality<0>, instr {note} : memref<i32>
memref.prefetch %B[], write, locality<0>, instr {note} : memref<i32>

%C, %G = "test.op"() : () -> (memref<8xf32>, memref<8xf32>)

// Ops whose custom syntax is upstream's.
// CHECK: memref.copy %C, %G {note} : memref<8xf32> to memref<8xf32>
memref.copy %C, %G {note} : memref<8xf32> to memref<8xf32>
// CHECK: %E = memref.cast %C : memref<8xf32> to memref<?xf32>
%E = memref.cast %C : memref<8xf32> to memref<?xf32>
// CHECK: %F = memref.memory_space_cast %C : memref<8xf32> to memref<8xf32, 1 : i64>
%F = memref.memory_space_cast %C : memref<8xf32> to memref<8xf32, 1 : i64>
// CHECK: %r = memref.rank %C : memref<8xf32>
%r = memref.rank %C : memref<8xf32>
// CHECK: %p = memref.extract_aligned_pointer_as_index %C : memref<8xf32> -> index
%p = memref.extract_aligned_pointer_as_index %C : memref<8xf32> -> index
