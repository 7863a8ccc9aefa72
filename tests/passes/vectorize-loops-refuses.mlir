// RUN: not teloom-opt %s -p 'vectorize-loops{bytes=12}' 2>&1 | filecheck %s

// A vector that no machine has.
// CHECK: error: vectorize-loops: a vector of 12 bytes: bytes has to be a power of two
func.func @nothing() {
  func.return
}
