// RUN: not teloom-opt %s -p 'unroll-loops{most_instructions=-1}' 2>&1 | filecheck %s

// CHECK: error: unroll-loops: most_instructions -1 is negative; with 0 no loop is unrolled
func.func @nothing() {
  func.return
}
