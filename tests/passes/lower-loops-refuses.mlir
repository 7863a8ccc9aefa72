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
