// RUN: teloom-opt %s -p 'storage-flatten' | filecheck %s

// A view is the buffer itself.
// CHECK-LABEL: func.func @view(
// CHECK-SAME: %data: memref<12xf32>
func.func @view(%data: memref<12xf32>, %i: index, %j: index) -> f32 {
  // CHECK-NOT: loop.bind
  %A = loop.bind %data [2 : 3, %i : 4] : memref<12xf32>
  // CHECK: %[[AT:.*]] = affine.apply affine_map<(d0, d1) -> ((((d0 * 4) + (d1 * -1)) + -8))> (%j, %i)
  // CHECK-NEXT: memref.load %data[%[[AT]]] : memref<12xf32>
  %a = loop.load %A[%j, 0] : f32
  func.return %a : f32
}

// Two views of one buffer have their own shapes.
// CHECK-LABEL: func.func @two_views
func.func @two_views(%data: memref<12xf32>, %i: index) {
  %A = loop.bind %data [0 : 3, 0 : 4] : memref<12xf32>
  %B = loop.bind %data [0 : 12] : memref<12xf32>
  // CHECK: affine_map<(d0) -> (((d0 * 4) + 1))>
  %a = loop.load %A[%i, 1] : f32
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.store %{{.*}}, %data[%i]
  loop.store %a, %B[%i] : f32
  func.return
}

// A tensor without axes has one element.
// CHECK-LABEL: func.func @one
func.func @one(%data: memref<1xf32>) -> f32 {
  %A = loop.bind %data [] : memref<1xf32>
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-NEXT: memref.load %data[%[[C0]]]
  %a = loop.load %A[] : f32
  func.return %a : f32
}
