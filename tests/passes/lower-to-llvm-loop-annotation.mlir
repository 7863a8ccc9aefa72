// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// The branch that closes a loop says what LLVM is to do with it.
// CHECK: llvm.br ^{{.*}} {loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
  func.return
}
