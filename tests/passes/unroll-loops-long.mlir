// RUN: teloom-opt %s -p 'unroll-loops{most_ops=12}' 2>&1 | filecheck %s
// RUN: teloom-opt %s -p 'unroll-loops{most_ops=12 expand=true}' 2>&1 | filecheck %s --check-prefix=EXPAND

// What would be more ops than LLVM may get stays a loop; what is in it counts with its copies.
// CHECK: remark: axis i is not unrolled: 13 copies of its body have 13 ops, more than 12, for which LLVM takes long; split it, and unroll the inner axis
// CHECK: remark: axis j is not unrolled: 4 copies of its body have 16 ops, more than 12
// CHECK-NOT: remark:
// EXPAND: remark: axis i is not unrolled

// CHECK-LABEL: func.func @long
// EXPAND-LABEL: func.func @long
func.func @long(%A: memref<64xf32>, %x: f32) {
  // CHECK-NEXT: loop.for %i = 0 to 13 {
  // EXPAND-NEXT: loop.for %i = 0 to 13 {
  loop.for %i = 0 to 13 unrolled {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  // CHECK: loop.for %i_1 = 0 to 12 attributes {llvm.loop_annotation
  loop.for %i = 0 to 12 unrolled {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  // CHECK: loop.for %j = 0 to 4 {
  loop.for %j = 0 to 4 unrolled {
    // CHECK-NEXT: loop.for %k = 0 to 3 attributes {llvm.loop_annotation
    loop.for %k = 0 to 3 unrolled {
      memref.store %x, %A[%k] : memref<64xf32>
    }
  }
  func.return
}
