// RUN: teloom-opt %s -p unroll-loops 2>&1 | filecheck %s

// The code of a parallel loop is a function that threads call: LLVM makes no copies of the call.
// CHECK: remark: {{.*}}axis i is not unrolled: j, in it, is parallel, and its code a function that threads call; unroll an axis inside of that
// CHECK-LABEL: @rows
// CHECK-NEXT: loop.for %i = 0 to 8 {
// CHECK-NEXT:   loop.for %j = 0 to 21 parallel {
func.func @rows(%A: memref<8x21xf32>, %x: f32) {
  loop.for %i = 0 to 8 unrolled {
    loop.for %j = 0 to 21 parallel {
      memref.store %x, %A[%i, %j] : memref<8x21xf32>
    }
  }
  func.return
}
