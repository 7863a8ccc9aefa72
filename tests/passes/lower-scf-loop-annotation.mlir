// RUN: teloom-opt %s -p lower-scf | filecheck %s

// What LLVM is asked to do with a loop moves to the branch that closes it, each to its own. Of a
// loop of which nothing is asked the branch says that it ends: LLVM 22 may close it by the branch
// of the loop inside, and what is asked of that one would hold for both.
// CHECK-LABEL: @nest
func.func @nest(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: arith.addi %j
    // CHECK-NEXT: cf.br ^{{.*}} {llvm.loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
    scf.for %j = %c0 to %n step %c1 {
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
    // CHECK: arith.addi %i
    // CHECK-NEXT: cf.br ^{{.*}} {llvm.loop_annotation = #llvm.loop_annotation<mustProgress = true>}
  }
  func.return
}

// A loop that runs is closed by the branch that tests.
// CHECK-LABEL: @eight
func.func @eight() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: cf.cond_br {{.*}} {llvm.loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
  scf.for %i = %c0 to %c8 step %c1 {
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
  func.return
}
