// RUN: not teloom-opt %s -p flatten-functions --split-input-file 2>&1 | filecheck %s

// CHECK: error: flatten-functions: same returns a buffer; it must write one of its arguments
func.func @same(%A: memref<4x4xf32>) -> memref<4x4xf32> {
  func.return %A : memref<4x4xf32>
}

// -----

// CHECK: error: flatten-functions: memref.dim of axis 2 of memref<4x4xf32>
func.func @third(%A: memref<4x4xf32>) -> index {
  %c2 = arith.constant 2 : index
  %n = memref.dim %A, %c2 : memref<4x4xf32>
  func.return %n : index
}

// -----

// CHECK: error: flatten-functions: no array has elements of type i7
// CHECK-NEXT: func.func @odd_elements
func.func @odd_elements(%A: memref<8x4xi7>) {
  func.return
}
