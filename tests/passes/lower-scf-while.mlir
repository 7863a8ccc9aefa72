// RUN: teloom-opt %s -p lower-scf | filecheck %s

// The first region decides, the second repeats; what the first passes on goes to both. Of
// this loop, too, the branch that closes it says that it ends.
// CHECK-LABEL: @halve
func.func @halve(%a: i64) -> i64 {
  %two = arith.constant 2 : i64
  // CHECK: cf.br ^[[before:.*]](%a : i64)
  // CHECK: ^[[before]](%x: i64):
  // CHECK-NEXT: %go = arith.cmpi sgt, %x, %two : i64
  // CHECK-NEXT: cf.cond_br %go, ^[[after:.*]](%x : i64), ^[[end:.*]](%x : i64)
  // CHECK: ^[[after]](%y: i64):
  // CHECK-NEXT: %half = arith.divsi %y, %two : i64
  // CHECK-NEXT: cf.br ^[[before]](%half : i64) {llvm.loop_annotation = #llvm.loop_annotation<mustProgress = true>}
  // CHECK: ^[[end]](%r: i64):
  // CHECK-NEXT: return %r
  %r = scf.while (%x = %a) : (i64) -> (i64) {
    %go = arith.cmpi sgt, %x, %two : i64
    scf.condition(%go) %x : i64
  } do {
  ^body(%y: i64):
    %half = arith.divsi %y, %two : i64
    scf.yield %half : i64
  }
  func.return %r : i64
}
