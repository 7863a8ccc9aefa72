// RUN: teloom-opt %s -p lower-to-llvm | filecheck %s

// An address that may be outside of the buffer, from elements as they are in memory.
// CHECK-LABEL: llvm.func @prefetch
func.func @prefetch(%A: memref<8xi1>, %B: memref<f64>, %i: index) {
  // CHECK: %[[p:.*]] = llvm.getelementptr %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  // CHECK-NEXT: "llvm.intr.prefetch"(%[[p]]) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
  memref.prefetch %A[%i], read, locality<3>, data : memref<8xi1>
  // A buffer holds no instructions.
  // CHECK-NEXT: "llvm.intr.prefetch"(%B) <{rw = 1 : i32, hint = 0 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
  memref.prefetch %B[], write, locality<0>, instr : memref<f64>
  func.return
}
