// RUN: teloom-opt %s -p 'buffer-reuse' | filecheck %s

// Large buffers on the stack that are not needed together share memory.
// CHECK-LABEL: func.func @large
// CHECK-NEXT: %storage = memref.alloca() {alignment = 64 : i64} : memref<32768xi8>
// CHECK: %a = memref.view %storage
// CHECK: %b = memref.view %storage
// CHECK-NOT: alloc
// CHECK: return
func.func @large(%x: f32, %k: i16) {
  loop.for %y = 0 to 8 {
    %a = memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
    memref.store %x, %a[%y] : memref<8192xf32>
  }
  loop.for %y = 0 to 8 {
    %b = memref.alloca() {alignment = 64 : i64} : memref<8192xi16>
    memref.store %k, %b[%y] : memref<8192xi16>
  }
  func.return
}

// Those of one type are one buffer.
// CHECK-LABEL: func.func @alike
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
// CHECK-NOT: alloc
// CHECK: return
func.func @alike(%x: f32) {
  loop.for %y = 0 to 8 {
    %a = memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
    memref.store %x, %a[%y] : memref<8192xf32>
  }
  loop.for %y = 0 to 8 {
    %b = memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
    memref.store %x, %b[%y] : memref<8192xf32>
  }
  func.return
}

// Small ones share as well, where an index stays a number that is computed: of a loop that runs
// too often to become copies, or of what varies outside.
// CHECK-LABEL: func.func @small
// CHECK-NEXT: %storage = memref.alloca() {alignment = 64 : i64} : memref<4000xi8>
// CHECK-NOT: alloca
// CHECK: return
func.func @small(%n: index, %x: f32, %k: i64) {
  %a = memref.alloca() {alignment = 64 : i64} : memref<1000xf32>
  loop.for %y = 0 to 1000 {
    memref.store %x, %a[%y] : memref<1000xf32>
  }
  %b = memref.alloca() {alignment = 64 : i64} : memref<1000xf32>
  loop.for %y = 0 to 1000 {
    memref.store %x, %b[%y] : memref<1000xf32>
  }
  loop.for %z = 0 to 8 {
    %c = memref.alloca() {alignment = 64 : i64} : memref<8xi64>
    memref.store %k, %c[%n] : memref<8xi64>
    %d = memref.alloca() {alignment = 64 : i64} : memref<8xi64>
    memref.store %k, %d[%n] : memref<8xi64>
  }
  func.return
}

// Those of which every index becomes a constant are registers, and share nothing.
// CHECK-LABEL: func.func @registers
// CHECK-COUNT-6: memref.alloca()
// CHECK: return
func.func @registers(%n: index, %x: f32) {
  loop.for %y = 0 to %n {
    %a = memref.alloca() {alignment = 64 : i64} : memref<256xf32>
    loop.for %i = 0 to 16 unrolled {
      loop.for %j = 0 to 16 vectorized {
        %0 = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)> (%i, %j)
        memref.store %x, %a[%0] : memref<256xf32>
      }
    }
    %b = memref.alloca() {alignment = 64 : i64} : memref<256xf32>
    loop.for %i = 0 to 256 vectorized {
      memref.store %x, %b[%i] : memref<256xf32>
    }
    %c = memref.alloca() {alignment = 64 : i64} : memref<9xf32>
    loop.for %r = 0 to %n {
      loop.for %i = 0 to 3 {
        loop.for %j = 0 to 3 {
          %0 = affine.apply affine_map<(d0, d1) -> (8 - d0 * 3 - d1)> (%i, %j)
          memref.store %x, %c[%0] : memref<9xf32>
        }
      }
    }
    %d = memref.alloca() {alignment = 64 : i64} : memref<256xf32>
    loop.for %i = 0 to 256 unrolled {
      memref.store %x, %d[%i] : memref<256xf32>
    }
    %e = memref.alloca() {alignment = 64 : i64} : memref<9xf32>
    %8 = arith.constant 8 : index
    memref.store %x, %e[%8] : memref<9xf32>
    %f = memref.alloca() {alignment = 64 : i64} : memref<9xf32>
    memref.store %x, %f[%8] : memref<9xf32>
  }
  func.return
}

// The stack and the heap share nothing.
// CHECK-LABEL: func.func @heap
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<8192xf32>
func.func @heap(%x: f32) {
  %a = memref.alloca() {alignment = 64 : i64} : memref<8192xf32>
  loop.for %y = 0 to 8 {
    memref.store %x, %a[%y] : memref<8192xf32>
  }
  %b = memref.alloc() {alignment = 64 : i64} : memref<8192xf32>
  loop.for %y = 0 to 8 {
    memref.store %x, %b[%y] : memref<8192xf32>
  }
  memref.dealloc %b : memref<8192xf32>
  func.return
}

// Of what does not fit on the stack the largest are on the heap, outside of loops.
// CHECK-LABEL: func.func @too_many
// CHECK-NEXT: %large = memref.alloc() {alignment = 64 : i64} : memref<200000xf32>
// CHECK-NEXT: loop.for
// CHECK-NEXT: %a = memref.alloca() {alignment = 64 : i64} : memref<100000xf32>
// CHECK: memref.dealloc %large
// CHECK-NEXT: func.return
func.func @too_many(%x: f32) {
  loop.for %y = 0 to 8 {
    %a = memref.alloca() {alignment = 64 : i64} : memref<100000xf32>
    %large = memref.alloca() {alignment = 64 : i64} : memref<200000xf32>
    memref.store %x, %a[%y] : memref<100000xf32>
    memref.store %x, %large[%y] : memref<200000xf32>
    memref.store %x, %a[%y] : memref<100000xf32>
    memref.store %x, %large[%y] : memref<200000xf32>
  }
  func.return
}

// A function with a result could not say that there is no memory.
// CHECK-LABEL: func.func private @result
// CHECK-NEXT: memref.alloca()
func.func private @result(%i: index, %x: f32) -> f32 {
  %a = memref.alloca() {alignment = 64 : i64} : memref<300000xf32>
  memref.store %x, %a[%i] : memref<300000xf32>
  %y = memref.load %a[%i] : memref<300000xf32>
  func.return %y : f32
}
