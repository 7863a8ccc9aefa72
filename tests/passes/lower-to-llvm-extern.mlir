// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// The address of a buffer is a number.
// CHECK-LABEL: llvm.func @address
// CHECK: %a = llvm.ptrtoint %A : !llvm.ptr to i64
// CHECK-NEXT: %p = llvm.inttoptr %a : i64 to !llvm.ptr
// CHECK-NEXT: llvm.call @fill(%p) : (!llvm.ptr) -> ()
func.func private @fill(!llvm.ptr)
func.func @address(%A: memref<?xf32>) {
  %a = "memref.extract_aligned_pointer_as_index"(%A) : (memref<?xf32>) -> index
  %i = arith.index_cast %a : index to i64
  %p = llvm.inttoptr %i : i64 to !llvm.ptr
  func.call @fill(%p) : (!llvm.ptr) -> ()
  func.return
}

// Where what is asserted does not hold, the function returns the number of the assertion, from
// 2 on; its caller takes back what it has of the workspace.
// CHECK-LABEL: llvm.func @asserted
// CHECK: %[[first:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[second:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: llvm.cond_br %{{.*}}, ^[[failure:bb\d+]](%[[first]] : i32), ^{{.*}}
// CHECK: llvm.cond_br %{{.*}}, ^[[failure]](%[[second]] : i32), ^{{.*}}
// CHECK: ^[[failure]](%[[status:.*]]: i32):
// CHECK-NEXT: llvm.return %[[status]] : i32
func.func @asserted(%n: index, %a: i1, %b: i1) {
  %T = memref.alloc(%n) : memref<?xf32>
  cf.assert %a, "a holds"
  cf.assert %b, "b holds"
  memref.dealloc %T : memref<?xf32>
  func.return
}
