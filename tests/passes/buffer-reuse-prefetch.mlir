// RUN: teloom-opt %s -p buffer-reuse | filecheck %s

// A prefetch is no use of a value: %b may lie where %a does, of which something is still
// prefetched, and %c where %b was.
// CHECK-LABEL: func.func @late
func.func @late(%x: f32, %C: memref<64xf32>) {
  // CHECK-NEXT: %a = memref.alloc
  // CHECK-NOT: memref.alloc
  %a = memref.alloc() {alignment = 64 : i64} : memref<2000xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<2000xf32>
  loop.for %i = 0 to 64 {
    memref.store %x, %a[%i] : memref<2000xf32>
    // CHECK: memref.prefetch %a[%{{.*}}]
    memref.prefetch %b[%i], read, locality<3>, data : memref<2000xf32>
  }
  loop.for %i = 0 to 64 {
    %v = memref.load %a[%i] : memref<2000xf32>
    memref.store %v, %C[%i] : memref<64xf32>
  }
  loop.for %i = 0 to 64 {
    memref.store %x, %b[%i] : memref<2000xf32>
    // CHECK: memref.prefetch %a[%{{.*}}]
    memref.prefetch %a[%i], read, locality<3>, data : memref<2000xf32>
  }
  loop.for %i = 0 to 64 {
    %v = memref.load %b[%i] : memref<2000xf32>
    memref.store %v, %C[%i] : memref<64xf32>
  }
  memref.dealloc %a : memref<2000xf32>
  memref.dealloc %b : memref<2000xf32>
  func.return
}
