// RUN: teloom-opt %s -p te-to-memref | filecheck %s

// An update of a temporary is computed in place of it: there is one buffer for both, and the copy
// between them stores what it has loaded.
// CHECK-LABEL: func.func @there_and_back
// CHECK: %P = memref.alloca() {alignment = 64 : i64} : memref<2000xf32>
// CHECK-NOT: memref.allo
// CHECK: memref.store %sum, %P[
// CHECK: loop.for %j = 0 to 2000 {
// CHECK-NEXT: %p = memref.load %P[%j] : memref<2000xf32>
// CHECK-NEXT: memref.store %p, %P[%j] : memref<2000xf32>
// CHECK: memref.store %{{.*}}, %C[%k] : memref<2000xf32>
te.func @there_and_back(%A: tensor<2000xf32>) -> (tensor<2000xf32>) {
  %P = te.update "P" (%i = 2000) reduce (%r = 1 to 2000) state %s : tensor<2000xf32> {
    %before = te.read %s[%r - 1] : f32
    %own = te.read %s[%r] : f32
    %sum = arith.addf %before, %own : f32
    te.write %sum, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %Q = te.update "Q" (%j = 2000) reduce (%q = 1 to 2000) state %t : tensor<2000xf32> {
    %behind = te.read %t[2000 - %q] : f32
    %own = te.read %t[1999 - %q] : f32
    %sum = arith.addf %behind, %own : f32
    te.write %sum, %t[1999 - %q] : f32
  } init {
    %p = te.read %P[%j] : f32
    te.yield %p : f32
  }
  %C = te.compute "C" (%k = 2000) : tensor<2000xf32> {
    %c = te.read %Q[%k] : f32
    %d = arith.mulf %c, %c : f32
    te.yield %d : f32
  }
  te.return %C : tensor<2000xf32>
}
