// RUN: teloom-opt %s -p 'storage-flatten' | filecheck %s
// RUN: teloom-opt %s -p 'storage-flatten{stack-bytes=256}' | filecheck %s --check-prefix=SMALL

// A region of constant size lies on the stack if it is small, else on the heap.
// CHECK-LABEL: func.func @sizes
// SMALL-LABEL: func.func @sizes
func.func @sizes(%x: f32) {
  loop.for %i = 0 to 8 {
    // CHECK: memref.alloca() {alignment = 64 : i64} : memref<64xf32>
    // SMALL: memref.alloca() {alignment = 64 : i64} : memref<64xf32>
    %a = loop.realize "a" [%i : 8, 0 : 8] : !loop.tensor<2, f32>
    // CHECK: memref.alloca() {alignment = 64 : i64} : memref<65xf32>
    // SMALL: %[[B:.*]] = memref.alloc() {alignment = 64 : i64} : memref<65xf32>
    %b = loop.realize "b" [0 : 5, 0 : 13] : !loop.tensor<2, f32>
    // CHECK: %[[C:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16385xf32>
    %c = loop.realize "c" [0 : 16385] : !loop.tensor<1, f32>
    loop.store %x, %a[%i, 0] : f32
    loop.store %x, %b[%i, 0] : f32
    // CHECK: memref.store %x, %[[C]][%i]
    loop.store %x, %c[%i] : f32
    // CHECK-NEXT: memref.dealloc %[[C]]
    // CHECK-NEXT: }
    // SMALL: memref.dealloc %[[B]]
  }
  func.return
}

// Truth values take a byte each; an empty region is a buffer without elements.
// CHECK-LABEL: func.func @elements
// SMALL-LABEL: func.func @elements
func.func @elements() {
  // SMALL: memref.alloca() {alignment = 64 : i64} : memref<256xi1>
  %a = loop.realize "a" [0 : 256] : !loop.tensor<1, i1>
  // SMALL: memref.alloc() {alignment = 64 : i64} : memref<257xi1>
  %b = loop.realize "b" [0 : 257] : !loop.tensor<1, i1>
  // CHECK: memref.alloca() {alignment = 4 : i64} : memref<0xf32>
  %c = loop.realize "c" [0 : -3, 0 : -3] : !loop.tensor<2, f32>
  func.return
}

// A region of symbolic size lies on the heap until the end of its block. No extent
// counts as less than nothing.
// CHECK-LABEL: func.func @symbolic
func.func @symbolic(%n: index, %x: f32) {
  loop.for %i = 0 to %n {
    // CHECK: %[[SIZE:.*]] = loop.element_count [%n - %i, 4]
    // CHECK-NEXT: %[[T:.*]] = memref.alloc(%[[SIZE]]) {alignment = 64 : i64} : memref<?xf32>
    %t = loop.realize "t" [0 : %n - %i, 0 : 4] : !loop.tensor<2, f32>
    loop.store %x, %t[%i, 2] : f32
    // CHECK: memref.dealloc %[[T]]
    // CHECK-NEXT: }
  }
  func.return
}
