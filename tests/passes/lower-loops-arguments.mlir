// RUN: teloom-opt %s -p 'lower-loops' | filecheck %s

// Buffers are apart from each other; one that is only read says so. What `te` says of
// arguments goes.
// CHECK-LABEL: func.func @buffers(
// CHECK-SAME: %n: index, %A: memref<?xf32> {llvm.noalias, llvm.readonly}, %B: memref<?xf32> {llvm.noalias}, %C: memref<?xf32> {llvm.noalias})
func.func @buffers(%n: index {te.parameter}, %A: memref<?xf32> {te.name = "A"}, %B: memref<?xf32> {te.output}, %C: memref<?xf32>) {
  %a = vector.load %A[%n] : memref<?xf32>, vector<4xf32>
  vector.store %a, %B[%n] : memref<?xf32>, vector<4xf32>
  func.call @other(%C) : (memref<?xf32>) -> ()
  func.return
}

// What the caller's memory is aligned to, LLVM may know.
// CHECK-LABEL: func.func @aligned(
// CHECK-SAME: %A: memref<?xf32> {llvm.noalias, llvm.align = 64 : i64, llvm.readonly})
func.func @aligned(%A: memref<?xf32> {te.strides = affine_map<() -> (2)>, te.alignment = 64 : i64}) {
  func.return
}

func.func private @other(memref<?xf32>) -> ()
