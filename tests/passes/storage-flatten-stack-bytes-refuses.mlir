// RUN: not teloom-opt %s -p 'storage-flatten{stack_bytes=-1}' 2>&1 | filecheck %s
// RUN: teloom-opt %s -p 'storage-flatten{stack_bytes=0}' | filecheck %s --check-prefix=ZERO

// CHECK: error: storage-flatten: stack_bytes -1 is negative; with 0 no buffer is on the stack
// ZERO: func.func @nothing
func.func @nothing() {
  func.return
}
