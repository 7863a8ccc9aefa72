// RUN: not teloom-opt %s -p 'unroll-loops{expand=true}' 2>&1 | filecheck %s

// Copies of an unknown number.
// CHECK: error: unroll-loops: an unrolled loop has no constant extent; leave expand off, and LLVM unrolls it if it can
func.func @unknown(%n: index, %A: memref<?xf32>, %x: f32) {
  loop.for %i = 0 to %n unrolled {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}
