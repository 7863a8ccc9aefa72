// RUN: teloom-opt %s -p 'lower-loops' | filecheck %s

// Buffers are apart from each other; one that is only read says so.
// CHECK-LABEL: func.func @buffers(
// CHECK-SAME: %n: index, %A: memref<?xf32> {llvm.noalias, llvm.readonly}, %B: memref<?xf32> {llvm.noalias}, %C: memref<?xf32> {llvm.noalias})
func.func @buffers(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>) {
  %a = vector.load %A[%n] : memref<?xf32>, vector<4xf32>
  vector.store %a, %B[%n] : memref<?xf32>, vector<4xf32>
  func.call @other(%C) : (memref<?xf32>) -> ()
  func.return
}

// What the caller's memory is aligned to, LLVM may know.
// CHECK-LABEL: func.func @aligned(
// CHECK-SAME: %A: memref<?xf32> {llvm.noalias, llvm.align = 64 : i64, llvm.readonly}) attributes {te.signature = {
func.func @aligned(%A: memref<?xf32>) attributes {te.signature = {arrays = [{name = "A", dtype = "float32", strides = affine_map<() -> (2)>, alignment = 64 : i64}]}} {
  func.return
}

func.func private @other(memref<?xf32>) -> ()

// Arguments are those of the first block.
// CHECK-LABEL: func.func @blocks(%n: index, %A: memref<?xf32> {llvm.noalias, llvm.readonly}) {
func.func @blocks(%n: index, %A: memref<?xf32>) {
  // CHECK-NEXT: cf.br ^bb1(%n : index)
  cf.br ^bb1(%n : index)
^bb1(%m: index):
  func.return
}
