// RUN: not teloom-opt %s -p lower-to-llvm 2>&1 | filecheck %s

// CHECK: 6:3: error: lower-to-llvm: cannot lower test.op
func.func @f() {
  // The first op that is not known is named.
  "test.op"() : () -> ()
  func.return
}
