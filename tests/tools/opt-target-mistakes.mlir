// RUN: not teloom-opt %s -t riscv-asm 2>&1 | filecheck %s

// A target of xDSL's that asserts what the module is made of.
// CHECK: opt-target-mistakes.mlir:1:1: error: target riscv-asm: it has no text for an op of this module
func.func @twice(%a : i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  func.return %0 : i32
}
