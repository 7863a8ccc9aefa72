// RUN: teloom-opt %s -p 'buffer-reuse' | filecheck %s

// The first iteration would write A[1, 0], which the next one reads.
// CHECK-LABEL: func.func @row_before
// CHECK-COUNT-2: memref.alloc()
// CHECK: func.return
func.func @row_before(%x: f32, %C: memref<64xf32>) {
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
      %a = memref.load %A[%i, %j] : memref<65x32xf32>
      memref.store %a, %B[%next, %j] : memref<65x32xf32>
    }
  }
  loop.for %i = 1 to 65 {
    %b = memref.load %B[%i, %i] : memref<65x32xf32>
    memref.store %b, %C[%i] : memref<64xf32>
  }
  memref.dealloc %A : memref<65x32xf32>
  memref.dealloc %B : memref<65x32xf32>
  func.return
}

// Rows become columns: what is below the diagonal would be lost.
// CHECK-LABEL: func.func @transpose
// CHECK-COUNT-2: memref.alloc()
// CHECK: func.return
func.func @transpose(%x: f32, %C: memref<32xf32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<32x32xf32>
  loop.for %i = 0 to 32 {
    loop.for %j = 0 to 32 {
      memref.store %x, %A[%i, %j] : memref<32x32xf32>
    }
  }
  %B = memref.alloc() {alignment = 64 : i64} : memref<32x32xf32>
  loop.for %i = 0 to 32 {
    loop.for %j = 0 to 32 {
      %a = memref.load %A[%j, %i] : memref<32x32xf32>
      memref.store %a, %B[%i, %j] : memref<32x32xf32>
    }
  }
  loop.for %i = 0 to 32 {
    %b = memref.load %B[%i, %i] : memref<32x32xf32>
    memref.store %b, %C[%i] : memref<32xf32>
  }
  memref.dealloc %A : memref<32x32xf32>
  memref.dealloc %B : memref<32x32xf32>
  func.return
}

// Buffers of another shape, of as many bytes in one dimension, of another element type, or in
// another scope are not in the same memory, also where one is used after the other.
// CHECK-LABEL: func.func @types
// CHECK: memref.store %x, %a[
// CHECK: memref.store %x, %b[
// CHECK: memref.store %x, %c[
// CHECK: memref.store %y, %d[
// CHECK: memref.store %x, %e[
// CHECK: func.return
func.func @types(%i: index, %x: f32, %y: i32) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<8x64xf32>
  memref.store %x, %a[%i, %i] : memref<8x64xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<64x8xf32>
  memref.store %x, %b[%i, %i] : memref<64x8xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<512xf32>
  memref.store %x, %c[%i] : memref<512xf32>
  %d = memref.alloc() {alignment = 64 : i64} : memref<8x64xi32>
  memref.store %y, %d[%i, %i] : memref<8x64xi32>
  %e = memref.alloc() {alignment = 64 : i64} : memref<8x64xf32, "shared">
  memref.store %x, %e[%i, %i] : memref<8x64xf32, "shared">
  memref.dealloc %a : memref<8x64xf32>
  memref.dealloc %b : memref<64x8xf32>
  memref.dealloc %c : memref<512xf32>
  memref.dealloc %d : memref<8x64xi32>
  memref.dealloc %e : memref<8x64xf32, "shared">
  func.return
}

// Symbolic sizes that may differ are another shape, and so are the same ones in another order.
// CHECK-LABEL: func.func @sizes
// CHECK: memref.store %x, %a[
// CHECK: memref.store %x, %b[
// CHECK: memref.store %x, %c[
// CHECK: func.return
func.func @sizes(%n: index, %m: index, %i: index, %x: f32) {
  %a = memref.alloc(%n, %m) {alignment = 64 : i64} : memref<?x?xf32>
  memref.store %x, %a[%i, %i] : memref<?x?xf32>
  %b = memref.alloc(%m, %n) {alignment = 64 : i64} : memref<?x?xf32>
  memref.store %x, %b[%i, %i] : memref<?x?xf32>
  %c = memref.alloc(%n, %n) {alignment = 64 : i64} : memref<?x?xf32>
  memref.store %x, %c[%i, %i] : memref<?x?xf32>
  memref.dealloc %a : memref<?x?xf32>
  memref.dealloc %b : memref<?x?xf32>
  memref.dealloc %c : memref<?x?xf32>
  func.return
}

// What may lie in registers shares with nothing: in `local`, small ones on the stack of which
// every index is a constant, and tiny ones.
// CHECK-LABEL: func.func @registers
// CHECK: memref.store %x, %a[
// CHECK: memref.store %x, %b[
// CHECK: memref.store %x, %c[
// CHECK: memref.store %x, %d[
// CHECK: memref.store %y, %e[
// CHECK: memref.store %y, %f[
// CHECK: func.return
func.func @registers(%i: index, %x: f32, %y: i8) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<8x64xf32, "local">
  memref.store %x, %a[%i, %i] : memref<8x64xf32, "local">
  %b = memref.alloc() {alignment = 64 : i64} : memref<8x64xf32, "local">
  memref.store %x, %b[%i, %i] : memref<8x64xf32, "local">
  %0 = arith.constant 0 : index
  %c = memref.alloca() {alignment = 64 : i64} : memref<4x4xf32>
  memref.store %x, %c[%0, %0] : memref<4x4xf32>
  %d = memref.alloca() {alignment = 64 : i64} : memref<4x4xf32>
  memref.store %x, %d[%0, %0] : memref<4x4xf32>
  %e = memref.alloc() : memref<2x2xi8>
  memref.store %y, %e[%i, %i] : memref<2x2xi8>
  %f = memref.alloc() : memref<2x2xi8>
  memref.store %y, %f[%i, %i] : memref<2x2xi8>
  memref.dealloc %a : memref<8x64xf32, "local">
  memref.dealloc %b : memref<8x64xf32, "local">
  memref.dealloc %e : memref<2x2xi8>
  memref.dealloc %f : memref<2x2xi8>
  func.return
}

// In a scope with a tag each shape has memory of its own, and only as long as before: there
// may be little of it. Those of one shape share it.
// CHECK-LABEL: func.func @tagged
// CHECK-NEXT: loop.for %i
// CHECK-NEXT: %a = memref.alloc()
// CHECK-NEXT: memref.store %x, %a[
// CHECK-NEXT: memref.store %x, %a[
// CHECK-NEXT: memref.dealloc %a
// CHECK-NEXT: }
// CHECK-NEXT: loop.for %j
// CHECK-NEXT: %c = memref.alloc()
// CHECK-NEXT: memref.store %x, %c[
// CHECK-NEXT: memref.dealloc %c
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @tagged(%x: f32) {
  loop.for %i = 0 to 8 {
    %a = memref.alloc() {alignment = 64 : i64} : memref<8x8xf32, "global.vtcm">
    memref.store %x, %a[%i, %i] : memref<8x8xf32, "global.vtcm">
    %b = memref.alloc() {alignment = 64 : i64} : memref<8x8xf32, "global.vtcm">
    memref.store %x, %b[%i, %i] : memref<8x8xf32, "global.vtcm">
    memref.dealloc %a : memref<8x8xf32, "global.vtcm">
    memref.dealloc %b : memref<8x8xf32, "global.vtcm">
  }
  loop.for %j = 0 to 8 {
    %c = memref.alloc() {alignment = 64 : i64} : memref<4x16xf32, "global.vtcm">
    memref.store %x, %c[%j, %j] : memref<4x16xf32, "global.vtcm">
    memref.dealloc %c : memref<4x16xf32, "global.vtcm">
  }
  func.return
}
