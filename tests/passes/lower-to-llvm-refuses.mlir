// RUN: not teloom-opt %s -p lower-to-llvm --split-input-file 2>&1 | filecheck %s

// CHECK: 6:3: error: lower-to-llvm: cannot lower test.op
func.func @f() {
  // The first op that is not known is named.
  "test.op"() : () -> ()
  func.return
}

// -----

// LLVM calls a compiler's runtime for wide integers.
// CHECK: error: lower-to-llvm: arith.divui of i128: integers are divided, and converted from and to floats, in 64 bits at most; truncate to i64 before
// CHECK-NEXT: %q = arith.divui
func.func private @wide_quotient(%a: i128, %b: i128) -> i128 {
  %q = arith.divui %a, %b : i128
  func.return %q : i128
}

// -----

// CHECK: error: lower-to-llvm: arith.ceildivsi of i65: integers are divided
func.func private @wide_quotients(%a: vector<4xi65>, %b: vector<4xi65>) -> vector<4xi65> {
  %q = arith.ceildivsi %a, %b : vector<4xi65>
  func.return %q : vector<4xi65>
}

// -----

// CHECK: error: lower-to-llvm: arith.sitofp of i128: integers are divided
func.func private @wide_to_float(%a: i128) -> f64 {
  %f = arith.sitofp %a : i128 to f64
  func.return %f : f64
}

// -----

// What an earlier pass takes is no unknown op.
// CHECK: 41:3: error: lower-to-llvm: loop.for is left here; run te-to-llvm, whose last pass this is
func.func @f(%A: memref<4xf32>) {
  loop.for %i = 0 to 4 {
  }
  func.return
}

// -----

// CHECK: error: lower-to-llvm: te.func is left here; run te-to-llvm, whose last pass this is
te.func @f(%A: tensor<4xf32>) -> () {
  te.return
}
