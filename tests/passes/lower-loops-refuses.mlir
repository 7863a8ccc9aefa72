// RUN: not teloom-opt %s -p 'lower-loops' --split-input-file 2>&1 | filecheck %s

// Storage that has no address yet.
// CHECK: error: lower-loops: loop.realize is left here; run storage-flatten first
func.func @early() {
  %b = loop.realize "b" [0 : 8] : !loop.tensor<1, f32>
  func.return
}
