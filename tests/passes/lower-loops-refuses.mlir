// RUN: not teloom-opt %s -p 'lower-loops' --split-input-file 2>&1 | filecheck %s

// Storage that has no address yet.
// CHECK: error: lower-loops: loop.realize is left here; run storage-flatten first
func.func @early() {
  %b = loop.realize "b" [0 : 8] : !loop.tensor<1, f32>
  func.return
}

// -----

// No target has threads yet.
// CHECK: error: lower-loops: axis i is bound to threadIdx.x, but there is no code for thread axes on this target yet; make it parallel, or leave it serial
func.func @threads(%A: memref<8xf32>, %x: f32) {
  loop.for %i = 0 to 8 threadIdx.x {
    memref.store %x, %A[%i] : memref<8xf32>
  }
  func.return
}

// -----

// A function may rely on it that its buffers are apart.
// CHECK: error: lower-loops: the memory of A and part is passed for a and b of @g, which writes there: buffers that a function gets have no element in common; copy one
func.func @f(%A: memref<8xf32>) {
  %part = memref.cast %A : memref<8xf32> to memref<?xf32>
  func.call @reads(%A, %part) : (memref<8xf32>, memref<?xf32>) -> ()
  func.call @g(%A, %part) : (memref<8xf32>, memref<?xf32>) -> ()
  func.return
}
func.func private @reads(%a: memref<8xf32>, %b: memref<?xf32>) {
  func.return
}
func.func private @g(%a: memref<8xf32>, %b: memref<?xf32>) {
  %0 = arith.constant 0 : index
  %v = memref.load %a[%0] : memref<8xf32>
  memref.store %v, %b[%0] : memref<?xf32>
  func.return
}
