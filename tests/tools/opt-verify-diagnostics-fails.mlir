// RUN: not teloom-opt %s --split-input-file --verify-diagnostics -p 'apply-schedule,infer-bounds{mode=hull}' 2>&1 | filecheck %s

// An error that nothing expects.
// CHECK: fails.mlir:[[# @LINE + 2]]:23: error: unexpected error: value %b is not defined{{$}}
func.func @unexpected(%a : i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  func.return %0 : i32
}

// -----

// An expectation that nothing meets.
// CHECK: fails.mlir:[[# @LINE + 2]]:6: error: expected error "not defined" was not produced{{$}}
func.func @unproduced(%a : i32) -> i32 {
  // expected-error@+1 {{not defined}}
  %0 = arith.addi %a, %a : i32
  func.return %0 : i32
}

// -----

// Of the wrong kind, on the wrong line, or in other words it is both; words are no regular
// expression without `-re`.
// CHECK: fails.mlir:[[# @LINE + 4]]:23: error: unexpected error: value %b is not defined
// CHECK-NEXT: fails.mlir:[[# @LINE + 2]]:6: error: expected warning "not defined" was not produced
func.func @wrong_kind(%a : i32) -> i32 {
  // expected-warning@+1 {{not defined}}
  %0 = arith.addi %a, %b : i32
  func.return %0 : i32
}

// -----

// CHECK: unexpected error: value %b is not defined
// CHECK-NEXT: expected error "not defined" was not produced
func.func @wrong_line(%a : i32) -> i32 {
  // expected-error {{not defined}}
  %0 = arith.addi %a, %b : i32
  func.return %0 : i32
}

// -----

// CHECK: unexpected error: value %b is not defined
// CHECK-NEXT: expected error "value %c is .* defined" was not produced
func.func @wrong_words(%a : i32) -> i32 {
  // expected-error@+1 {{value %c is .* defined}}
  %0 = arith.addi %a, %b : i32
  func.return %0 : i32
}

// -----

// CHECK: error: expected error "not defined" was not produced 2 times, but 1 times
func.func @too_few(%a : i32) -> i32 {
  // expected-error@+1 2 {{not defined}}
  %0 = arith.addi %a, %b : i32
  func.return %0 : i32
}

// -----

// CHECK: unexpected remark: stage "T" is computed as a hull
te.func @remark(%A: tensor<4x4xf32>) -> (tensor<2x2xf32>) {
  %T = te.compute "T" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 2, %x = 2) : tensor<2x2xf32> {
    %r0 = te.read %T[%y, %x] : f32
    %r1 = te.read %T[%y + 2, %x + 2] : f32
    %s = arith.addf %r0, %r1 : f32
    te.yield %s : f32
  }
  te.return %C : tensor<2x2xf32>
}

// -----

// An expectation that cannot be read is a mistake, not a comment.
// CHECK: fails.mlir:[[# @LINE + 1]]:4: error: expected-error@+1 is not of the form expected-error@+1 {{{{}}words}}
// expected-error@+1 {no}
func.func @malformed() {
  func.return
}

// -----

// CHECK: error: "({{[{]}}{(}}" has no regular expression: missing ), unterminated subpattern at position
// expected-error-re@+1 {{({{(}}}}
func.func @no_regex() {
  func.return
}
