// RUN: not teloom-opt %s -p 'storage-flatten{alignment=48}' 2>&1 | filecheck %s
// RUN: not teloom-opt %s -p 'storage-flatten{alignment=0}' 2>&1 | filecheck %s --check-prefix=ZERO

// CHECK: error: storage-flatten: alignment 48 is not a power of two
// ZERO: error: storage-flatten: alignment 0 is not a power of two
func.func @nothing() {
  func.return
}
