// RUN: teloom-opt %s -p 'buffer-reuse' | filecheck %s

// Only buffers of one scope share memory.
// CHECK-LABEL: func.func @apart
// CHECK-NEXT: %g0 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
// CHECK: memref.store %x, %g0
// CHECK: %s0 = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "shared">
// CHECK: memref.store %x, %s0
// CHECK-NOT: memref.alloc
// CHECK: memref.store %x, %g0
// CHECK: memref.store %x, %s0
func.func @apart(%x: f32) {
  %g0 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %g0[%i] : memref<64xf32>
  }
  %s0 = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "shared">
  loop.for %i = 0 to 64 {
    memref.store %x, %s0[%i] : memref<64xf32, "shared">
  }
  %g1 = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %g1[%i] : memref<64xf32>
  }
  %s1 = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "shared">
  loop.for %i = 0 to 64 {
    memref.store %x, %s1[%i] : memref<64xf32, "shared">
  }
  memref.dealloc %g0 : memref<64xf32>
  memref.dealloc %s0 : memref<64xf32, "shared">
  memref.dealloc %g1 : memref<64xf32>
  memref.dealloc %s1 : memref<64xf32, "shared">
  func.return
}

// Buffers of several types in one scope are views of bytes in that scope.
// CHECK-LABEL: func.func @types
// CHECK-NEXT: %storage = memref.alloc() {alignment = 64 : i64} : memref<256xi8, "shared">
// CHECK: memref.view %storage[%{{.*}}][] : memref<256xi8, "shared"> to memref<64xf32, "shared">
// CHECK: memref.view %storage[%{{.*}}][] : memref<256xi8, "shared"> to memref<64xi16, "shared">
func.func @types(%x: f32, %h: i16) {
  %p = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "shared">
  loop.for %i = 0 to 64 {
    memref.store %x, %p[%i] : memref<64xf32, "shared">
  }
  %q = memref.alloc() {alignment = 64 : i64} : memref<64xi16, "shared">
  loop.for %i = 0 to 64 {
    memref.store %h, %q[%i] : memref<64xi16, "shared">
  }
  memref.dealloc %p : memref<64xf32, "shared">
  memref.dealloc %q : memref<64xi16, "shared">
  func.return
}

// What a thread or a warp has alone may lie in registers: it shares with nothing, of
// constant or symbolic size.
// CHECK-LABEL: func.func @registers
// CHECK: %l0 = memref.alloc()
// CHECK: memref.store %x, %l0[
// CHECK: %l1 = memref.alloc()
// CHECK: memref.store %x, %l1[
// CHECK: %w0 = memref.alloc(%n)
// CHECK: memref.store %x, %w0[
// CHECK: %w1 = memref.alloc(%n)
// CHECK: memref.store %x, %w1[
func.func @registers(%n: index, %x: f32) {
  %l0 = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "local">
  loop.for %i = 0 to 64 {
    memref.store %x, %l0[%i] : memref<64xf32, "local">
  }
  %l1 = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "local">
  loop.for %i = 0 to 64 {
    memref.store %x, %l1[%i] : memref<64xf32, "local">
  }
  %w0 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32, "warp">
  loop.for %i = 0 to 64 {
    memref.store %x, %w0[%i] : memref<?xf32, "warp">
  }
  %w1 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32, "warp">
  loop.for %i = 0 to 64 {
    memref.store %x, %w1[%i] : memref<?xf32, "warp">
  }
  memref.dealloc %l0 : memref<64xf32, "local">
  memref.dealloc %l1 : memref<64xf32, "local">
  memref.dealloc %w0 : memref<?xf32, "warp">
  memref.dealloc %w1 : memref<?xf32, "warp">
  func.return
}

// So do buffers of at most four bytes.
// CHECK-LABEL: func.func @tiny
// CHECK: memref.store %x, %a[
// CHECK: memref.store %x, %b[
// CHECK: memref.store %h, %c[
// CHECK: memref.store %h, %d[
func.func @tiny(%i: index, %x: f32, %h: i8) {
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %b = memref.alloc() : memref<1xf32>
  memref.store %x, %b[%i] : memref<1xf32>
  %c = memref.alloc() : memref<4xi8>
  memref.store %h, %c[%i] : memref<4xi8>
  %d = memref.alloc() : memref<4xi8>
  memref.store %h, %d[%i] : memref<4xi8>
  memref.dealloc %a : memref<1xf32>
  memref.dealloc %b : memref<1xf32>
  memref.dealloc %c : memref<4xi8>
  memref.dealloc %d : memref<4xi8>
  func.return
}

// Nothing leaves a parallel loop, whatever its scope: the iterations run at the same time.
// CHECK-LABEL: func.func @parallel
// CHECK-NEXT: loop.for {{.*}} parallel {
// CHECK-NEXT: %g = memref.alloc()
// CHECK-NEXT: %s = memref.alloc()
// CHECK-NEXT: %l = memref.alloc()
func.func @parallel(%x: f32) {
  loop.for %i = 0 to 8 parallel {
    %g = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    %s = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "shared">
    %l = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "local">
    memref.store %x, %g[%i] : memref<64xf32>
    memref.store %x, %s[%i] : memref<64xf32, "shared">
    memref.store %x, %l[%i] : memref<64xf32, "local">
    memref.dealloc %g : memref<64xf32>
    memref.dealloc %s : memref<64xf32, "shared">
    memref.dealloc %l : memref<64xf32, "local">
  }
  func.return
}

// Nor a loop over blocks, which cannot wait for each other.
// CHECK-LABEL: func.func @blocks
// CHECK-NEXT: loop.for {{.*}} blockIdx.y {
// CHECK-NEXT: %g = memref.alloc()
// CHECK-NEXT: %s = memref.alloc()
// CHECK-NEXT: loop.for %j
func.func @blocks(%x: f32) {
  loop.for %i = 0 to 8 blockIdx.y {
    loop.for %j = 0 to 8 {
      %g = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
      %s = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "shared">
      memref.store %x, %g[%j] : memref<64xf32>
      memref.store %x, %s[%j] : memref<64xf32, "shared">
      memref.dealloc %g : memref<64xf32>
      memref.dealloc %s : memref<64xf32, "shared">
    }
  }
  func.return
}

// Out of a loop over the threads of a block goes what all of them see one copy of: not
// what a thread has alone, and of a warp only where the loop counts its threads.
// CHECK-LABEL: func.func @threads
// CHECK-NEXT: loop.for {{.*}} blockIdx.x {
// CHECK-NEXT: %g = memref.alloc()
// CHECK-NEXT: %s = memref.alloc()
// CHECK-NEXT: loop.for {{.*}} threadIdx.y {
// CHECK-NEXT: %w = memref.alloc()
// CHECK-NEXT: loop.for {{.*}} threadIdx.x {
// CHECK-NEXT: %l = memref.alloc()
// CHECK-NEXT: memref.store
func.func @threads(%x: f32) {
  loop.for %b = 0 to 8 blockIdx.x {
    loop.for %y = 0 to 8 threadIdx.y {
      loop.for %t = 0 to 8 threadIdx.x {
        %g = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
        %s = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "shared">
        %w = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "warp">
        %l = memref.alloc() {alignment = 64 : i64} : memref<64xf32, "local">
        memref.store %x, %g[%t] : memref<64xf32>
        memref.store %x, %s[%t] : memref<64xf32, "shared">
        memref.store %x, %w[%t] : memref<64xf32, "warp">
        memref.store %x, %l[%t] : memref<64xf32, "local">
        memref.dealloc %g : memref<64xf32>
        memref.dealloc %s : memref<64xf32, "shared">
        memref.dealloc %w : memref<64xf32, "warp">
        memref.dealloc %l : memref<64xf32, "local">
      }
    }
  }
  func.return
}

// Buffers of a tagged scope are views of one allocation, also those that are needed at the
// same time. Each begins on a boundary of the alignment that they have.
// CHECK-LABEL: func.func @tagged
// CHECK-NEXT: %storage = memref.alloc() {alignment = 128 : i64} : memref<385xi8, "global.vtcm">
// CHECK-NEXT: %[[A:.*]] = arith.constant 0 : index
// CHECK-NEXT: %a = memref.view %storage[%[[A]]][] : {{.*}} to memref<33xf32, "global.vtcm">
// CHECK-NEXT: %[[B:.*]] = arith.constant 256 : index
// CHECK-NEXT: %b = memref.view %storage[%[[B]]][] : {{.*}} to memref<20xi16, "global.vtcm">
// CHECK-NEXT: %[[C:.*]] = arith.constant 384 : index
// CHECK-NEXT: %c = memref.view %storage[%[[C]]][] : {{.*}} to memref<1xi8, "global.vtcm">
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @tagged(%i: index, %x: f32, %h: i16, %q: i8) {
  %a = memref.alloc() {alignment = 128 : i64} : memref<33xf32, "global.vtcm">
  %b = memref.alloc() {alignment = 128 : i64} : memref<20xi16, "global.vtcm">
  %c = memref.alloc() {alignment = 128 : i64} : memref<1xi8, "global.vtcm">
  memref.store %x, %a[%i] : memref<33xf32, "global.vtcm">
  memref.store %h, %b[%i] : memref<20xi16, "global.vtcm">
  memref.store %q, %c[%i] : memref<1xi8, "global.vtcm">
  memref.store %x, %a[%i] : memref<33xf32, "global.vtcm">
  memref.store %h, %b[%i] : memref<20xi16, "global.vtcm">
  memref.dealloc %a : memref<33xf32, "global.vtcm">
  memref.dealloc %b : memref<20xi16, "global.vtcm">
  memref.dealloc %c : memref<1xi8, "global.vtcm">
  func.return
}

// One of no bytes takes no boundary of its own.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: %storage = memref.alloc() {alignment = 64 : i64} : memref<8xi8, "global.vtcm">
// CHECK-NOT: memref.alloc
// CHECK: func.return
func.func @nothing(%x: f32, %h: i16, %n: index) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<0xf32, "global.vtcm">
  %b = memref.alloc() {alignment = 64 : i64} : memref<4xi16, "global.vtcm">
  loop.for %i = 0 to %n {
    memref.store %x, %a[%i] : memref<0xf32, "global.vtcm">
    memref.store %h, %b[%i] : memref<4xi16, "global.vtcm">
  }
  memref.dealloc %a : memref<0xf32, "global.vtcm">
  memref.dealloc %b : memref<4xi16, "global.vtcm">
  func.return
}
