// RUN: teloom-opt %s -p 'unroll-loops{most_instructions=16}' 2>&1 | filecheck %s
// RUN: teloom-opt %s -p 'unroll-loops{most_instructions=16 expand=true}' 2>&1 | filecheck %s --check-prefix=EXPAND

// What would be more instructions than LLVM may get stays a loop. What is in it counts with its
// copies, arithmetic of indices too, and four times in a loop that is left to LLVM.
// CHECK: remark: axis i is not unrolled: 17 copies of its body are about 18 instructions, more than 16, for which LLVM takes long; split it, and unroll the inner axis
// CHECK: remark: axis j is not unrolled: 4 copies of its body are about 17 instructions, more than 16
// CHECK: remark: axis l is not unrolled: 4 copies of its body are about 21 instructions, more than 16
// CHECK: remark: axis p is not unrolled: 3 copies of its body are about 19 instructions, more than 16
// CHECK-NOT: remark:
// EXPAND: remark: axis i is not unrolled

// CHECK-LABEL: func.func @long
// EXPAND-LABEL: func.func @long
func.func @long(%n: index, %A: memref<64xf32>, %x: f32) {
  // CHECK-NEXT: loop.for %i = 0 to 17 {
  // EXPAND-NEXT: loop.for %i = 0 to 17 {
  loop.for %i = 0 to 17 unrolled {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  // CHECK: loop.for %i_1 = 0 to 15 attributes {llvm.loop_annotation
  loop.for %i = 0 to 15 unrolled {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  // CHECK: loop.for %j = 0 to 4 {
  loop.for %j = 0 to 4 unrolled {
    // CHECK-NEXT: loop.for %k = 0 to 3 attributes {llvm.loop_annotation
    loop.for %k = 0 to 3 unrolled {
      memref.store %x, %A[%k] : memref<64xf32>
    }
  }
  // CHECK: loop.for %l = 0 to 4 {
  loop.for %l = 0 to 4 unrolled {
    // CHECK-NEXT: loop.for %m = 0 to %n {
    loop.for %m = 0 to %n {
      memref.store %x, %A[%m] : memref<64xf32>
    }
  }
  // CHECK: loop.for %p = 0 to 3 {
  loop.for %p = 0 to 3 unrolled {
    %q = affine.apply affine_map<(d0) -> (d0 floordiv 2 + 4)> (%p)
    memref.store %x, %A[%q] : memref<64xf32>
  }
  func.return
}
