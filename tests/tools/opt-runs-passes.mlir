// RUN: TELOOM_ROUNDTRIP %s | filecheck %s --check-prefix=SAME
// RUN: teloom-opt %s -p 'canonicalize' | filecheck %s
// RUN: teloom-opt %s | teloom-opt -p dce --split-input-file | filecheck %s

// A value without uses is gone after canonicalization.
// SAME-LABEL: @unused
// SAME: arith.addi
// CHECK-LABEL: @unused
// CHECK-NOT: arith.addi
// CHECK: func.return
func.func @unused(%a : i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  func.return %a : i32
}
