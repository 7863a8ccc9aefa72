// RUN: teloom-opt %s -p 'buffer-reuse' | filecheck %s

// Where an index is read from memory, any element may be read after it was written.
// CHECK-LABEL: func.func @gathered
// CHECK-COUNT-2: memref.alloc()
// CHECK: func.return
func.func @gathered(%k: i32, %I: memref<64xi32>, %C: memref<64xi32>) {
  %A = memref.alloc() : memref<64xi32>
  loop.for %i = 0 to 64 {
    memref.store %k, %A[%i] : memref<64xi32>
  }
  %B = memref.alloc() : memref<64xi32>
  loop.for %i = 0 to 64 {
    %at = memref.load %I[%i] : memref<64xi32>
    %index = arith.index_cast %at : i32 to index
    %a = memref.load %A[%index] : memref<64xi32>
    memref.store %a, %B[%i] : memref<64xi32>
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<64xi32>
    memref.store %b, %C[%i] : memref<64xi32>
  }
  memref.dealloc %A : memref<64xi32>
  memref.dealloc %B : memref<64xi32>
  func.return
}

// A buffer that another op sees may be anywhere in it: as a source, and as a target.
// CHECK-LABEL: func.func @passed_on
// CHECK-COUNT-3: memref.alloc()
// CHECK: func.return
func.func @passed_on(%x: f32) {
  %A = memref.alloc() : memref<64xf32>
  func.call @other(%A) : (memref<64xf32>) -> ()
  %B = memref.alloc() : memref<64xf32>
  loop.for %i = 0 to 64 {
    %a = memref.load %A[%i] : memref<64xf32>
    memref.store %a, %B[%i] : memref<64xf32>
  }
  %C = memref.alloc() : memref<64xf32>
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<64xf32>
    memref.store %b, %C[%i] : memref<64xf32>
  }
  func.call @other(%C) : (memref<64xf32>) -> ()
  memref.dealloc %A : memref<64xf32>
  memref.dealloc %B : memref<64xf32>
  memref.dealloc %C : memref<64xf32>
  func.return
}
func.func private @other(memref<64xf32>)

// A buffer in another scope, or inside of a parallel loop, is other memory.
// CHECK-LABEL: func.func @elsewhere
// CHECK: memref.alloc() {{.*}} : memref<64xf32>
// CHECK: memref.alloc() {{.*}} : memref<64xf32, "shared">
// CHECK: loop.for {{.*}} parallel {
// CHECK-NEXT: memref.alloc() : memref<64xf32, "shared">
// CHECK: func.return
func.func @elsewhere(%x: f32, %C: memref<64xf32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "shared">
  loop.for %i = 0 to 64 {
    %a = memref.load %A[%i] : memref<64xf32>
    memref.store %a, %B[%i] : memref<64xf32, "shared">
  }
  loop.for %i = 0 to 64 parallel {
    %D = memref.alloc() : memref<64xf32, "shared">
    %b = memref.load %B[%i] : memref<64xf32, "shared">
    memref.store %b, %D[%i] : memref<64xf32, "shared">
    %d = memref.load %D[%i] : memref<64xf32, "shared">
    memref.store %d, %C[%i] : memref<64xf32>
    memref.dealloc %D : memref<64xf32, "shared">
  }
  memref.dealloc %A : memref<64xf32>
  memref.dealloc %B : memref<64xf32, "shared">
  func.return
}

// Buffers that may lie in registers share with none, in place neither.
// CHECK-LABEL: func.func @registers
// CHECK-COUNT-2: memref.alloc() : memref<64xf32, "local">
// CHECK: func.return
func.func @registers(%x: f32, %C: memref<64xf32>) {
  %A = memref.alloc() : memref<64xf32, "local">
  loop.for %i = 0 to 64 {
    memref.store %x, %A[%i] : memref<64xf32, "local">
  }
  %B = memref.alloc() : memref<64xf32, "local">
  loop.for %i = 0 to 64 {
    %a = memref.load %A[%i] : memref<64xf32, "local">
    memref.store %a, %B[%i] : memref<64xf32, "local">
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<64xf32, "local">
    memref.store %b, %C[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<64xf32, "local">
  memref.dealloc %B : memref<64xf32, "local">
  func.return
}

// An iteration of a loop that is not known reads what an earlier one would have overwritten.
// CHECK-LABEL: func.func @unknown_loop
func.func @unknown_loop(%A: memref<8xf32>, %C: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %eight = arith.constant 8 : index
  // CHECK-COUNT-2: memref.alloca
  %x = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
  loop.for %i = 0 to 8 {
    %a = memref.load %A[%i] : memref<8xf32>
    memref.store %a, %x[%i] : memref<8xf32>
  }
  %b = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
  scf.for %i = %zero to %eight step %one {
    %mirrored = arith.subi %seven, %i : index
    %v = memref.load %x[%mirrored] : memref<8xf32>
    memref.store %v, %b[%i] : memref<8xf32>
  }
  loop.for %i = 0 to 8 {
    %v = memref.load %b[%i] : memref<8xf32>
    memref.store %v, %C[%i] : memref<8xf32>
  }
  func.return
}
