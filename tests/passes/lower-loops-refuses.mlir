// RUN: not teloom-opt %s -p 'lower-loops' --split-input-file 2>&1 | filecheck %s

// Storage that has no address yet.
// CHECK: error: lower-loops: lower-loops has no rule for loop.realize
func.func @early() {
  %b = loop.realize "b" [0 : 8] : !loop.tensor<1, f32>
  func.return
}
