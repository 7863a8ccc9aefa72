// RUN: teloom-opt %s -p 'storage-flatten' | filecheck %s

// A[i,j] of 16 x 16, row-major, is A[i*16+j]; of symbolic size (n, m), A[i*m+j].
// CHECK-LABEL: func.func @row_major
func.func @row_major(%n: index, %m: index, %A: memref<256xf32>, %B: memref<?xf32>, %i: index, %j: index) {
  %a = loop.bind %A [0 : 16, 0 : 16] : memref<256xf32>
  %b = loop.bind %B [0 : %n, 0 : %m] : memref<?xf32>
  // CHECK: %[[AT:.*]] = affine.apply affine_map<(d0, d1) -> (((d0 * 16) + d1))> (%i, %j)
  // CHECK-NEXT: memref.load %A[%[[AT]]]
  %v = loop.load %a[%i, %j] : f32
  // CHECK-NEXT: %[[ROW:.*]] = arith.muli %i, %m : index
  // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[ROW]], %j : index
  // CHECK-NEXT: memref.store %{{.*}}, %B[%[[AT]]]
  loop.store %v, %b[%i, %j] : f32
  func.return
}

// With constant strides and offset all folds into one map, the first coordinate too.
// CHECK-LABEL: func.func @constant
func.func @constant(%A: memref<?xf32>, %i: index, %j: index) -> f32 {
  %a = loop.bind %A [2 : 8, 0 : 4] strides [1, 8] offset 5 : memref<?xf32>
  // CHECK: %[[AT:.*]] = affine.apply affine_map<(d0, d1) -> (((d0 + (d1 * 8)) + 3))> (%i, %j)
  // CHECK-NEXT: memref.load %A[%[[AT]]]
  %v = loop.load %a[%i, %j] : f32
  func.return %v : f32
}

// A symbolic stride is one product per access; one that is no argument is computed once,
// where the region begins.
// CHECK-LABEL: func.func @symbolic
func.func @symbolic(%A: memref<?xf32>, %s: index, %o: index, %i: index, %j: index) -> f32 {
  // CHECK: %[[STRIDE:.*]] = affine.apply affine_map<(d0) -> (((d0 * 2) + 1))> (%s)
  %a = loop.bind %A [0 : 8, 0 : 4] strides [2 * %s + 1, 1] offset %o : memref<?xf32>
  // CHECK-NEXT: %[[REST:.*]] = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%o, %j)
  // CHECK-NEXT: %[[ROW:.*]] = arith.muli %i, %[[STRIDE]] : index
  // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[REST]], %[[ROW]] : index
  // CHECK-NEXT: memref.load %A[%[[AT]]]
  %v = loop.load %a[%i, %j] : f32
  func.return %v : f32
}

// An axis of stride 0 is in no address: all its elements are one.
// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%A: memref<?xf32>, %i: index, %j: index) -> f32 {
  %a = loop.bind %A [0 : 8, 0 : 4] strides [0, 1] : memref<?xf32>
  // CHECK-NEXT: memref.load %A[%j]
  %v = loop.load %a[%i, %j] : f32
  func.return %v : f32
}
