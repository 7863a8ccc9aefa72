// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// A division by 0, or of the smallest integer by -1, does not stop the machine: it divides by 1,
// and the quotient is the product instead.
// CHECK-LABEL: @quotient
func.func private @quotient(%a: i32, %b: i32) -> i32 {
  // CHECK: %[[next:.*]] = llvm.add %b, %{{.*}} : i32
  // CHECK: %[[stops:.*]] = llvm.icmp "ule" %[[next]], %{{.*}} : i32
  // CHECK: %[[safe:.*]] = llvm.select %[[stops]], %{{.*}}, %b : i1, i32
  // CHECK: %[[quotient:.*]] = llvm.sdiv %a, %[[safe]] : i32
  // CHECK: %[[product:.*]] = llvm.mul %a, %b : i32
  // CHECK: llvm.select %[[stops]], %[[product]], %[[quotient]] : i1, i32
  %q = arith.divsi %a, %b : i32
  func.return %q : i32
}

// Remainders by 1 are 0 already; an unsigned division only stops at 0.
// CHECK-LABEL: @remainder
func.func private @remainder(%c: i32, %d: i32) -> i32 {
  // CHECK: %[[stops:.*]] = llvm.icmp "eq" %d
  // CHECK: %[[safe:.*]] = llvm.select %[[stops]], %{{.*}}, %d
  // CHECK-NEXT: %r = llvm.urem %c, %[[safe]] : i32
  // CHECK-NEXT: llvm.return
  %r = arith.remui %c, %d : i32
  func.return %r : i32
}

// Divisors that are constants cost nothing.
// CHECK-LABEL: @constants
// CHECK-NOT: select
func.func private @constants(%e: i32, %v: vector<4xi32>, %n: index) -> index {
  %7 = arith.constant 7 : i32
  %8 = arith.constant dense<8> : vector<4xi32>
  %mixed = arith.constant dense<[1, 2, -3, 4]> : vector<4xi32>
  %10 = arith.constant 10 : index
  // CHECK: llvm.sdiv
  %q = arith.divsi %e, %7 : i32
  // CHECK: llvm.ashr {{.*}} : vector<4xi32>
  %w = arith.floordivsi %v, %8 : vector<4xi32>
  // CHECK: llvm.srem
  %r = arith.remsi %v, %mixed : vector<4xi32>
  // CHECK: llvm.sdiv
  %i = arith.ceildivsi %n, %10 : index
  // CHECK: return
  func.return %i : index
}
