// RUN: teloom-opt %s -p storage-flatten | filecheck %s

// A prefetch has the address that a load has: behind the offset of its region, with its strides.
// CHECK-LABEL: func.func @region
func.func @region(%n: index, %i: index, %A: memref<?xf32>) {
  %a = loop.bind %A [0 : %n, 0 : %n] strides [%n, 2] offset 8 : memref<?xf32>
  // CHECK: %[[row:.*]] = arith.muli %i, %n : index
  // CHECK: memref.prefetch %A[%{{.*}}], read, locality<3>, data : memref<?xf32>
  loop.prefetch %a[%i, 3] : f32
  %b = loop.realize "b" [%i : 4, 2 : 6] : !loop.tensor<2, i1>
  // CHECK: %[[at:.*]] = arith.constant 9 : index
  // CHECK-NEXT: memref.prefetch %b[%[[at]]], read, locality<3>, data : memref<24xi1>
  loop.prefetch %b[%i + 1, 5] : i1
  func.return
}

// Of what is folded, and in a layout of two dimensions.
// CHECK-LABEL: func.func @placed
func.func @placed(%i: index, %j: index) {
  %a = loop.realize "a" [0 : 9] folded axis 0 factor 3 : !loop.tensor<1, f32>
  // CHECK: %[[at:.*]] = affine.apply affine_map<(d0) -> (((d0 + 1) mod 3))> (%i)
  // CHECK-NEXT: memref.prefetch %a[%[[at]]], read, locality<3>, data : memref<3xf32>
  loop.prefetch %a[%i + 1] : f32
  %b = loop.realize "b" [0 : 4, 0 : 8] layout affine_map<(d0, d1) -> (d1, d0)> separators [1] : !loop.tensor<2, f32>
  // CHECK: memref.prefetch %b[%j, %i], read, locality<3>, data : memref<8x4xf32>
  loop.prefetch %b[%i, %j] : f32
  func.return
}
