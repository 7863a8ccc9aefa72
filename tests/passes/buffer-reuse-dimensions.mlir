// RUN: teloom-opt %s -p 'buffer-reuse' | filecheck %s

// Each element of B is made of that of A, in the next row: one buffer.
// CHECK-LABEL: func.func @next_row
// CHECK: %A = memref.alloc() {alignment = 64 : i64} : memref<65x32xf32>
// CHECK-NOT: memref.alloc
// CHECK: memref.load %A[%next, %{{.*}}] : memref<65x32xf32>
// CHECK-NEXT: memref.store %{{.*}}, %A[
// CHECK: memref.dealloc %A
// CHECK-NEXT: func.return
func.func @next_row(%x: f32, %C: memref<2048xf32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<65x32xf32>
  loop.for %i = 0 to 65 {
    loop.for %j = 0 to 32 {
      memref.store %x, %A[%i, %j] : memref<65x32xf32>
    }
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<65x32xf32>
  loop.for %i = 0 to 64 {
    loop.for %j = 0 to 32 {
      %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
      %a = memref.load %A[%next, %j] : memref<65x32xf32>
      memref.store %a, %B[%i, %j] : memref<65x32xf32>
    }
  }
  loop.for %i = 0 to 64 {
    loop.for %j = 0 to 32 {
      %b = memref.load %B[%i, %j] : memref<65x32xf32>
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1)> (%i, %j)
      memref.store %b, %C[%at] : memref<2048xf32>
    }
  }
  memref.dealloc %A : memref<65x32xf32>
  memref.dealloc %B : memref<65x32xf32>
  func.return
}

// The iterations of a parallel loop are in no order, but each has a row of its own.
// CHECK-LABEL: func.func @rows_at_a_time
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @rows_at_a_time(%x: f32, %C: memref<64xf32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<64x32xf32>
  loop.for %i = 0 to 64 {
    loop.for %j = 0 to 32 {
      memref.store %x, %A[%i, %j] : memref<64x32xf32>
    }
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<64x32xf32>
  loop.for %i = 0 to 64 parallel {
    loop.for %j = 0 to 31 {
      %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%j)
      %a = memref.load %A[%i, %next] : memref<64x32xf32>
      memref.store %a, %B[%i, %j] : memref<64x32xf32>
    }
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i, %i] : memref<64x32xf32>
    memref.store %b, %C[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<64x32xf32>
  memref.dealloc %B : memref<64x32xf32>
  func.return
}

// Symbolic shapes are the same if each of their sizes is computed alike. One after the other or
// in place, in a loop whose iterations then share the memory.
// CHECK-LABEL: func.func @symbolic
// CHECK-NEXT: %size = affine.apply
// CHECK-NEXT: %A = memref.alloc(%size, %m)
// CHECK-NEXT: loop.for %y
// CHECK-NOT: memref.alloc
// CHECK: memref.dealloc %A
// CHECK-NEXT: func.return
func.func @symbolic(%n: index, %m: index, %x: f32, %C: memref<?xf32>) {
  loop.for %y = 0 to 8 {
    %size = affine.apply affine_map<(d0) -> (d0 * 2)> (%n)
    %A = memref.alloc(%size, %m) {alignment = 64 : i64} : memref<?x?xf32>
    loop.for %i = 0 to %size {
      loop.for %j = 0 to %m {
        memref.store %x, %A[%i, %j] : memref<?x?xf32>
      }
    }
    %same = affine.apply affine_map<(d0) -> (d0 * 2)> (%n)
    %B = memref.alloc(%same, %m) {alignment = 64 : i64} : memref<?x?xf32>
    loop.for %i = 0 to %size {
      loop.for %j = 0 to %m {
        %a = memref.load %A[%i, %j] : memref<?x?xf32>
        memref.store %a, %B[%i, %j] : memref<?x?xf32>
      }
    }
    loop.for %i = 0 to %size {
      %b = memref.load %B[%i, %y] : memref<?x?xf32>
      memref.store %b, %C[%i] : memref<?xf32>
    }
    %D = memref.alloc(%size, %m) {alignment = 64 : i64} : memref<?x?xf32>
    loop.for %i = 0 to %size {
      memref.store %x, %D[%i, %y] : memref<?x?xf32>
      %d = memref.load %D[%i, %y] : memref<?x?xf32>
      memref.store %d, %C[%i] : memref<?xf32>
    }
    memref.dealloc %A : memref<?x?xf32>
    memref.dealloc %B : memref<?x?xf32>
    memref.dealloc %D : memref<?x?xf32>
  }
  func.return
}

// One after the other; the memory leaves the serial loops and, of constant size, the branch.
// CHECK-LABEL: func.func @serial
// CHECK-NEXT: %a = memref.alloc() {alignment = 64 : i64} : memref<8x64xf32>
// CHECK-NEXT: loop.for
// CHECK-NOT: memref.alloc
// CHECK: memref.dealloc %a
// CHECK-NEXT: func.return
func.func @serial(%x: f32) {
  loop.for %i = 0 to 8 {
    loop.for %j = 0 to 8 {
      loop.if (%i - %j >= 0) {
        %a = memref.alloc() {alignment = 64 : i64} : memref<8x64xf32>
        memref.store %x, %a[%i, %j] : memref<8x64xf32>
        memref.dealloc %a : memref<8x64xf32>
      }
    }
    %b = memref.alloc() {alignment = 64 : i64} : memref<8x64xf32>
    memref.store %x, %b[%i, %i] : memref<8x64xf32>
    memref.dealloc %b : memref<8x64xf32>
  }
  func.return
}

// Iterations that run at the same time have a buffer each; of symbolic size it stays in a branch.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: loop.for %{{.*}} parallel {
// CHECK-NEXT: %own = memref.alloc()
// CHECK-NEXT: loop.for
// CHECK: loop.if
// CHECK-NEXT: %large = memref.alloc(%n)
// CHECK: memref.dealloc %large
// CHECK: memref.dealloc %own
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @kept(%n: index, %x: f32) {
  loop.for %i = 0 to 8 parallel {
    loop.for %j = 0 to 8 {
      %own = memref.alloc() {alignment = 64 : i64} : memref<8x64xf32>
      memref.store %x, %own[%i, %j] : memref<8x64xf32>
      memref.dealloc %own : memref<8x64xf32>
    }
    loop.if (%n * -1 + 100 >= 0) {
      %large = memref.alloc(%n) {alignment = 64 : i64} : memref<?x64xf32>
      memref.store %x, %large[%i, %i] : memref<?x64xf32>
      memref.dealloc %large : memref<?x64xf32>
    }
  }
  func.return
}

// Large ones on the stack share it, too, and what is too much for it is on the heap.
// CHECK-LABEL: func.func @stack
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<16x128xf32>
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512x512xf32>
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @stack(%x: f32) {
  loop.for %i = 0 to 8 {
    %a = memref.alloca() {alignment = 64 : i64} : memref<16x128xf32>
    memref.store %x, %a[%i, %i] : memref<16x128xf32>
    %b = memref.alloca() {alignment = 64 : i64} : memref<16x128xf32>
    memref.store %x, %b[%i, %i] : memref<16x128xf32>
    %c = memref.alloca() {alignment = 64 : i64} : memref<512x512xf32>
    memref.store %x, %c[%i, %i] : memref<512x512xf32>
  }
  func.return
}
