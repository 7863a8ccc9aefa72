// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

%A, %B, %i = "test.op"() : () -> (memref<8x4xf32>, memref<i32>, index)

// What a prefetch is for: a read or a write, how near and for how long, data or code.
// CHECK: memref.prefetch %A[%i, %i], read, locality<3>, data : memref<8x4xf32>
memref.prefetch %A[%i, %i], read, locality<3>, data : memref<8x4xf32>
// CHECK: memref.prefetch %B[], write, locality<0>, instr {note} : memref<i32>
memref.prefetch %B[], write, locality<0>, instr {note} : memref<i32>
