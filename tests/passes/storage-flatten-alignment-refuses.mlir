// RUN: not teloom-opt %s -p 'storage-flatten{alignment=48}' 2>&1 | filecheck %s
// RUN: not teloom-opt %s -p 'te-to-memref{alignment=48}' 2>&1 | filecheck %s
// RUN: not teloom-opt %s -p 'storage-flatten{alignment=0}' 2>&1 | filecheck %s --check-prefix=ZERO

// CHECK: error: storage-flatten: alignment 48 is no power of two up to 4294967296
// ZERO: error: storage-flatten: alignment 0 is no power of two up to 4294967296
func.func @nothing() {
  func.return
}
