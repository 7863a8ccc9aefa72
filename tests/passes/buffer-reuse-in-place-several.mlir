// RUN: teloom-opt %s -p 'buffer-reuse' | filecheck %s

// Of two sources that end, one gives its memory.
// CHECK-LABEL: func.func @two_sources
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @two_sources(%x: f32, %R: memref<64xf32>) {
  %A = memref.alloc() : memref<64xf32>
  %B = memref.alloc() : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %A[%i] : memref<64xf32>
    memref.store %x, %B[%i] : memref<64xf32>
  }
  %C = memref.alloc() : memref<64xf32>
  loop.for %i = 0 to 64 {
    %a = memref.load %A[%i] : memref<64xf32>
    %b = memref.load %B[%i] : memref<64xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %C[%i] : memref<64xf32>
  }
  loop.for %i = 0 to 64 {
    %c = memref.load %C[%i] : memref<64xf32>
    memref.store %c, %R[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<64xf32>
  memref.dealloc %B : memref<64xf32>
  memref.dealloc %C : memref<64xf32>
  func.return
}

// Of two buffers that are made of one, one gets its memory.
// CHECK-LABEL: func.func @two_targets
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @two_targets(%x: f32, %R: memref<64xf32>) {
  %A = memref.alloc() : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  %B = memref.alloc() : memref<64xf32>
  %C = memref.alloc() : memref<64xf32>
  loop.for %i = 0 to 64 {
    %a = memref.load %A[%i] : memref<64xf32>
    memref.store %a, %B[%i] : memref<64xf32>
    memref.store %a, %C[%i] : memref<64xf32>
  }
  loop.for %i = 0 to 64 {
    %b = memref.load %B[%i] : memref<64xf32>
    %c = memref.load %C[%i] : memref<64xf32>
    %d = arith.addf %b, %c : f32
    memref.store %d, %R[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<64xf32>
  memref.dealloc %B : memref<64xf32>
  memref.dealloc %C : memref<64xf32>
  func.return
}

// A smaller buffer may lie in place of a larger one, and the other way round.
// CHECK-LABEL: func.func @other_sizes
// CHECK-NEXT: %storage = memref.alloc() {alignment = 64 : i64} : memref<400xi8>
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @other_sizes(%x: f32, %R: memref<100xf32>) {
  %A = memref.alloc() : memref<100xf32>
  loop.for %i = 0 to 100 {
    memref.store %x, %A[%i] : memref<100xf32>
  }
  %B = memref.alloc() : memref<50xf32>
  loop.for %i = 0 to 50 {
    %a = memref.load %A[%i] : memref<100xf32>
    memref.store %a, %B[%i] : memref<50xf32>
  }
  %C = memref.alloc() : memref<100xf32>
  loop.for %i = 0 to 50 {
    %b = memref.load %B[%i] : memref<50xf32>
    memref.store %b, %C[%i] : memref<100xf32>
  }
  loop.for %i = 0 to 50 {
    %c = memref.load %C[%i] : memref<100xf32>
    memref.store %c, %R[%i] : memref<100xf32>
  }
  memref.dealloc %A : memref<100xf32>
  memref.dealloc %B : memref<50xf32>
  memref.dealloc %C : memref<100xf32>
  func.return
}
