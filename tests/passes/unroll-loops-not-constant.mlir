// RUN: teloom-opt %s -p unroll-loops 2>&1 | filecheck %s

// A loop that may run more or less often is left to LLVM, and a remark says so, as of the tiles
// of an extent that the factor does not divide.
// CHECK: remark: axis i is not unrolled: from 0 to min(8, o * -8 + 100) is no constant number of iterations; the inner axis of a split has one if the factor divides the extent
// CHECK: remark: axis j is not unrolled: from max(0, n - 4) to n is no constant number
// CHECK-NOT: remark:

// CHECK-LABEL: func.func @tiles
func.func @tiles(%n: index, %A: memref<100xf32>, %x: f32) {
  loop.for %o = 0 to 13 {
    // CHECK: loop.for %i = 0 to min(8, %o * -8 + 100) {
    loop.for %i = 0 to min(8, %o * -8 + 100) unrolled {
      memref.store %x, %A[%i] : memref<100xf32>
    }
  }
  loop.for %j = max(0, %n - 4) to %n unrolled {
    memref.store %x, %A[%j] : memref<100xf32>
  }
  // CHECK: loop.for %k = %n to %n + 4 attributes {llvm.loop_annotation
  loop.for %k = %n to %n + 4 unrolled {
    memref.store %x, %A[%k] : memref<100xf32>
  }
  func.return
}
