// RUN: teloom-opt %s --split-input-file --verify-diagnostics -p 'apply-schedule,infer-bounds{mode=hull}' 2>&1 | filecheck %s --check-prefixes=SHOWN

// What comes and is expected is not shown; the result is, where there is one.
// SHOWN-NOT: error:
// SHOWN-NOT: remark:
// SHOWN: "fine"
func.func @fine() attributes {label = "fine"} {
  func.return
}

// -----

// An error of the next line, of this one, and of lines counted from here.
func.func @next(%a : i32) -> i32 {
  // expected-error@+1 {{value %b is not defined}}
  %0 = arith.addi %a, %b : i32
  func.return %0 : i32
}

// -----

func.func @here(%a : i32) -> i32 {
  %0 = arith.addi %a, %b : i32 // expected-error {{value %b is not defined}}
  func.return %0 : i32
}

// -----

func.func @counted(%a : i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  func.return %0 : i32
}
// expected-error @-3 {{not defined}}

// -----

// Above and below pass over other expectations.
func.func @above(%a : i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  // expected-remark@below 0+ {{nothing}}
  // expected-error@above {{not defined}}
  func.return %0 : i32
}

// -----

func.func @below(%a : i32) -> i32 {
  // expected-error@below {{not defined}}
  // expected-note@above 0-1 {{nothing}}
  %0 = arith.addi %a, %b : i32
  func.return %0 : i32
}

// -----

// In words of `-re`, what is in braces is a regular expression; the rest stands for itself.
func.func @regular(%a : i32) -> i32 {
  // expected-error-re@+1 {{value %{{[a-z]}} is {{(not|never)}} defined}}
  %0 = arith.addi %a, %b : i32
  func.return %0 : i32
}

// -----

// Remarks of passes are diagnostics.
te.func @two_squares(%A: tensor<4x4xf32>) -> (tensor<2x2xf32>) {
  // expected-remark@below {{stage "T" is computed as a hull, as asked}}
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
