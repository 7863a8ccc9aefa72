// RUN: teloom-opt %s -p double-buffer | filecheck %s

// What an iteration means is an element of its own of a region of all iterations: the number of
// the iteration, and how far the element is from where the region of that iteration began.
// CHECK-LABEL: @rows
func.func @rows(%n: index, %A: memref<?xf32>, %C: memref<?xf32>) {
  // CHECK: [[ALL:%\w+]] = shadow.region "B" [1 : %n - 1, 0 : 4]
  // CHECK-NOT: shadow.region
  loop.for %i = 1 to %n {
    %b = memref.alloca() {loop.double_buffered} : memref<4xf32>
    %r = shadow.region "B" [%i * 2 : 4]
    // CHECK: [[FIRST:%\w+]] = arith.constant 1 : index
    // CHECK: shadow.stored %x, [[ALL]][[[FIRST]], %j]
    // CHECK: [[NEXT:%\w+]] = affine.apply affine_map<(d0) -> ((d0 + 1))> (%i)
    // CHECK: shadow.stored {{.*}}, [[ALL]][[[NEXT]], {{.*}}]
    loop.for %j = 0 to 4 {
      %x = memref.load %A[%j] : memref<?xf32>
      %w = shadow.stored %x, %r[%i * 2 + %j] : f32
      memref.store %w, %b[%j] : memref<4xf32>
    }
    // CHECK: shadow.loaded {{.*}}, [[ALL]][%i, 3] by "C" : f32
    %three = arith.constant 3 : index
    %v = memref.load %b[%three] : memref<4xf32>
    shadow.loaded %v, %r[%i * 2 + 3] by "C" : f32
    memref.store %v, %C[%i] : memref<?xf32>
  }
  func.return
}

// Where the extents are others in each iteration, but the buffer is not, its positions count.
// CHECK-LABEL: @folded
func.func @folded(%A: memref<32xf32>, %C: memref<32xf32>) {
  // CHECK: [[ALL:%\w+]] = shadow.region "B" [0 : 8, 0 : 2]
  loop.for %i = 0 to 8 {
    %b = memref.alloca() {loop.double_buffered} : memref<2xf32>
    %r = shadow.region "B" [0 : %i + 1]
    %at = affine.apply affine_map<(d0) -> (d0 mod 2)> (%i)
    %x = memref.load %A[%i] : memref<32xf32>
    %w = shadow.stored %x, %r[%i] : f32
    memref.store %w, %b[%at] : memref<2xf32>
    // CHECK: shadow.loaded {{.*}}, [[ALL]][%i, %i mod 2] by "C" : f32
    %v = memref.load %b[%at] : memref<2xf32>
    shadow.loaded %v, %r[%i] by "C" : f32
    memref.store %v, %C[%i] : memref<32xf32>
  }
  func.return
}
