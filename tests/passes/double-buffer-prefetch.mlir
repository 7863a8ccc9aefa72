// RUN: teloom-opt %s -p double-buffer | filecheck %s

// What the computation of the buffer prefetches is prefetched with it; what is prefetched of the
// buffer is in the copy that the iteration reads.
// CHECK-LABEL: func.func @rows
func.func @rows(%A: memref<64xf32>, %C: memref<64xf32>) {
  loop.for %i = 0 to 8 {
    %b = memref.alloca() {loop.double_buffered} : memref<8xf32>
    loop.for %j = 0 to 8 {
      %from = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %j)
      memref.prefetch %A[%from], read, locality<3>, data : memref<64xf32>
      %a = memref.load %A[%from] : memref<64xf32>
      memref.store %a, %b[%j] : memref<8xf32>
    }
    loop.for %k = 0 to 8 {
      memref.prefetch %b[%k], read, locality<3>, data : memref<8xf32>
      %v = memref.load %b[%k] : memref<8xf32>
      %to = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %k)
      memref.store %v, %C[%to] : memref<64xf32>
    }
  }
  func.return
}

// CHECK-NEXT: %b = memref.alloca() : memref<16xf32>
// CHECK:      memref.prefetch %A[%{{.*}}]
// CHECK:      loop.for %i = 0 to 7 {
// CHECK:        memref.prefetch %A[%{{.*}}]
// CHECK:        loop.for %k = 0 to 8 {
// CHECK-NEXT:     %[[at:.*]] = affine.apply affine_map<(d0, d1) -> ((d0 + ((d1 mod 2) * 8)))> (%k, %i)
// CHECK-NEXT:     memref.prefetch %b[%[[at]]], read, locality<3>, data : memref<16xf32>

// What the rest of an iteration prefetches of memory that only the computation has is not there.
// CHECK-LABEL: func.func @of_the_other_part
// CHECK-NOT: memref.prefetch
// CHECK: func.return
func.func @of_the_other_part(%A: memref<64xf32>, %C: memref<64xf32>) {
  loop.for %i = 0 to 8 {
    %b = memref.alloca() {loop.double_buffered} : memref<8xf32>
    %t = memref.alloca() : memref<8xf32>
    loop.for %j = 0 to 8 {
      %v = memref.load %A[%j] : memref<64xf32>
      memref.store %v, %t[%j] : memref<8xf32>
    }
    loop.for %j = 0 to 8 {
      memref.prefetch %t[%j], read, locality<3>, data : memref<8xf32>
    }
    loop.for %j = 0 to 8 {
      %v = memref.load %t[%j] : memref<8xf32>
      memref.store %v, %b[%j] : memref<8xf32>
    }
    loop.for %j = 0 to 8 {
      %v = memref.load %b[%j] : memref<8xf32>
      memref.store %v, %C[%i] : memref<64xf32>
    }
  }
  func.return
}
