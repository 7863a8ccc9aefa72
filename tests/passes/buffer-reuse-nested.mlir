// RUN: teloom-opt %s -p 'buffer-reuse{in_place=false}' | filecheck %s

// Two loops side by side, each with a loop and a buffer in it, in a loop with a buffer of its
// own: what the first leaves the second takes; what is around both is apart from it.
// CHECK-LABEL: func.func @two_in_one
// CHECK-NEXT: %outer = memref.alloc()
// CHECK-NEXT: %a = memref.alloc()
// CHECK-NEXT: loop.for %i
// CHECK-NOT: memref.alloc
// CHECK: memref.store %x, %a[%k]
// CHECK-NOT: memref.alloc
// CHECK: memref.store %x, %a[%k{{.*}}]
// CHECK-NOT: memref.alloc
// CHECK: memref.store %x, %outer[%i]
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: func.return
func.func @two_in_one(%x: f32) {
  loop.for %i = 0 to 8 {
    %outer = memref.alloc() : memref<64xf32>
    memref.store %x, %outer[%i] : memref<64xf32>
    loop.for %j = 0 to 8 {
      loop.for %k = 0 to 8 {
        %a = memref.alloc() : memref<64xf32>
        memref.store %x, %a[%k] : memref<64xf32>
        memref.dealloc %a : memref<64xf32>
      }
    }
    loop.for %j = 0 to 8 {
      loop.for %k = 0 to 8 {
        %b = memref.alloc() : memref<64xf32>
        memref.store %x, %b[%k] : memref<64xf32>
        memref.dealloc %b : memref<64xf32>
      }
    }
    memref.store %x, %outer[%i] : memref<64xf32>
    memref.dealloc %outer : memref<64xf32>
  }
  func.return
}

// A buffer is free behind the loop with its last use, not before: those of that loop are
// apart from it, those of the next one take it.
// CHECK-LABEL: func.func @last_use
// CHECK: memref.store %x, %first
// CHECK: %own = memref.alloc()
// CHECK: memref.load %first
// CHECK: memref.store %{{.*}}, %own
// CHECK-NOT: memref.alloc
// CHECK: memref.store %x, %first
// CHECK: memref.store %x, %own
func.func @last_use(%x: f32) {
  %first = memref.alloc() : memref<64xf32>
  loop.for %i = 0 to 8 {
    memref.store %x, %first[%i] : memref<64xf32>
  }
  loop.for %i = 0 to 8 {
    %own = memref.alloc() : memref<64xf32>
    %v = memref.load %first[%i] : memref<64xf32>
    memref.store %v, %own[%i] : memref<64xf32>
    memref.dealloc %own : memref<64xf32>
  }
  loop.for %i = 0 to 8 {
    %b = memref.alloc() : memref<64xf32>
    %c = memref.alloc() : memref<64xf32>
    memref.store %x, %b[%i] : memref<64xf32>
    memref.store %x, %c[%i] : memref<64xf32>
    memref.store %x, %b[%i] : memref<64xf32>
    memref.dealloc %b : memref<64xf32>
    memref.dealloc %c : memref<64xf32>
  }
  memref.dealloc %first : memref<64xf32>
  func.return
}

// A block frees what it holds, and only that: of nested parallel loops each keeps its own.
// CHECK-LABEL: func.func @frees
// CHECK: loop.for {{.*}} parallel {
// CHECK: %wide = memref.alloc() {alignment = 64 : i64} : memref<128xf32>
// CHECK: loop.for {{.*}} parallel {
// CHECK: %narrow = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
// CHECK: memref.dealloc %narrow
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %wide
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @frees(%x: f32) {
  loop.for %i = 0 to 8 parallel {
    loop.for %j = 0 to 8 {
      %wide = memref.alloc() : memref<128xf32>
      memref.store %x, %wide[%j] : memref<128xf32>
      memref.dealloc %wide : memref<128xf32>
    }
    loop.for %j = 0 to 8 parallel {
      loop.for %k = 0 to 8 {
        %narrow = memref.alloc() : memref<64xf32>
        memref.store %x, %narrow[%k] : memref<64xf32>
        memref.dealloc %narrow : memref<64xf32>
      }
    }
  }
  func.return
}
