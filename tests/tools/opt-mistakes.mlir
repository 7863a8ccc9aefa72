// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// An undefined value is shown at its use.
// CHECK: opt-mistakes.mlir:8:23: error: value %b is not defined
// CHECK-NEXT: {{^}}  %0 = arith.addi %a, %b : i32
// CHECK-NEXT: {{^}}                      ^^
func.func @undefined(%a : i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  func.return %0 : i32
}

// -----

// The positions of a later part are those of the whole file.
// CHECK: opt-mistakes.mlir:21:8: error: no operation named 'arith.adi'; did you mean 'arith.andi'?
// CHECK-NEXT: {{^}}  %0 = arith.adi %a, %a : i32
// CHECK-NEXT: {{^}}       ^^^^^^^^^
func.func @misspelt(%a : i32) -> i32 {
  // A comment and an empty line before the mistake.

  %0 = arith.adi %a, %a : i32
}
