// RUN: teloom-opt %s -p 'unroll-loops' | filecheck %s

// LLVM is told to unroll; a loop of another kind stays as it is, but that LLVM is told not to
// unroll each copy of an innermost one whose extent only the call knows.
// CHECK-LABEL: func.func @told
func.func @told(%n: index, %A: memref<?xf32>, %x: f32) {
  // CHECK-NEXT: loop.for %i = 0 to %n {
  loop.for %i = 0 to %n {
    // CHECK-NEXT: loop.for %j = 0 to 8 attributes {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>} {
    loop.for %j = 0 to 8 unrolled {
      // CHECK-NEXT: loop.for %k = 0 to min(2, %n) vectorized attributes {llvm.loop_annotation = #llvm.loop_annotation<unroll = <runtimeDisable = true>>} {
      loop.for %k = 0 to min(2, %n) vectorized {
        memref.store %x, %A[%k] : memref<?xf32>
      }
    }
  }
  func.return
}

// A bound that constants and the loops around make a number is written as one: the body of the
// parallel loop becomes a function, in which LLVM would see an argument.
// CHECK-LABEL: func.func @numbers
func.func @numbers(%A: memref<8xf32>, %x: f32) {
  %one = arith.constant 1 : index
  // CHECK: loop.for %p = 0 to 2 parallel {
  loop.for %p = 0 to 2 parallel {
    // CHECK-NEXT: loop.for %j = 0 to 4 attributes {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>} {
    loop.for %j = 0 to %one + 3 unrolled {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)> (%p, %j)
      memref.store %x, %A[%at] : memref<8xf32>
    }
  }
  func.return
}
