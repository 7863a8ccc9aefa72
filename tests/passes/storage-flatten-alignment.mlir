// RUN: teloom-opt %s -p storage-flatten | filecheck %s
// RUN: teloom-opt %s -p 'storage-flatten{alignment=128}' | filecheck %s --check-prefix=WIDE
// RUN: teloom-opt %s -p 'storage-flatten{alignment=2}' | filecheck %s --check-prefix=NARROW
// RUN: teloom-opt %s -p 'storage-flatten{stack-bytes=0}' | filecheck %s --check-prefix=HEAP

// A buffer is aligned to 64 bytes, or to less where its constant size is less: 4 floats to 16
// bytes, 3 floats, which take 12, to 8. No buffer is aligned to less than an element.
// CHECK-LABEL: func.func @sizes
// WIDE-LABEL: func.func @sizes
// NARROW-LABEL: func.func @sizes
// HEAP-LABEL: func.func @sizes
func.func @sizes(%n: index) {
  // CHECK: memref.alloca() {alignment = 16 : i64} : memref<4xf32>
  // WIDE: memref.alloca() {alignment = 16 : i64} : memref<4xf32>
  // NARROW: memref.alloca() {alignment = 4 : i64} : memref<4xf32>
  // HEAP: memref.alloc() {alignment = 16 : i64} : memref<4xf32>
  %a = loop.realize "a" [0 : 4] : !loop.tensor<1, f32>
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
  // WIDE: memref.alloca() {alignment = 128 : i64} : memref<1024xf32>
  // NARROW: memref.alloca() {alignment = 4 : i64} : memref<1024xf32>
  %b = loop.realize "b" [0 : 32, 0 : 32] : !loop.tensor<2, f32>
  // CHECK: memref.alloca() {alignment = 8 : i64} : memref<3xf32>
  // WIDE: memref.alloca() {alignment = 8 : i64} : memref<3xf32>
  // HEAP: memref.alloc() {alignment = 8 : i64} : memref<3xf32>
  %c = loop.realize "c" [0 : 3] : !loop.tensor<1, f32>
  // CHECK: memref.alloca() {alignment = 1 : i64} : memref<1xi1>
  %d = loop.realize "d" [] : !loop.tensor<0, i1>
  // CHECK: memref.alloca() {alignment = 8 : i64} : memref<0xf64>
  %e = loop.realize "e" [0 : 0] : !loop.tensor<1, f64>
  // CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
  // WIDE: memref.alloc(%{{.*}}) {alignment = 128 : i64} : memref<?xf32>
  // NARROW: memref.alloc(%{{.*}}) {alignment = 4 : i64} : memref<?xf32>
  %f = loop.realize "f" [0 : %n] : !loop.tensor<1, f32>
  func.return
}
