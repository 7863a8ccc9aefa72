// RUN: teloom-opt %s -p storage-flatten | filecheck %s

// A buffer has as many elements as its region; coordinates count from where that begins.
// CHECK-LABEL: func.func @rows
func.func @rows(%v: f32, %i: index, %j: index) {
  // CHECK-NEXT: %b = memref.alloca() {alignment = 64 : i64} : memref<32xf32>
  %b = loop.realize "b" [4 : 2, 0 : 16] : !loop.tensor<2, f32>
  // CHECK-NEXT: %[[AT:.*]] = affine.apply affine_map<(d0, d1) -> ((((d0 * 16) + d1) + -64))> (%i, %j)
  // CHECK-NEXT: memref.store %v, %b[%[[AT]]] : memref<32xf32>
  loop.store %v, %b[%i, %j] : f32
  // CHECK: %[[FIRST:.*]] = arith.constant 0 : index
  // CHECK-NEXT: memref.store %v, %b[%[[FIRST]]]
  loop.store %v, %b[4, 0] : f32
  // CHECK: %[[LAST:.*]] = arith.constant 31 : index
  // CHECK-NEXT: memref.store %v, %b[%[[LAST]]]
  loop.store %v, %b[5, 15] : f32
  func.return
}

// Memory that the caller gives is not allocated, nor freed.
// CHECK-LABEL: func.func @given
// CHECK-NOT: alloc
// CHECK: memref.store %v, %data
// CHECK-NOT: alloc
// CHECK: func.return
func.func @given(%data: memref<32xf32>, %v: f32, %i: index, %j: index) {
  %b = loop.bind %data [4 : 2, 0 : 16] : memref<32xf32>
  loop.store %v, %b[%i, %j] : f32
  func.return
}

// A function without regions stays as it is, also what is not ours in it.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: %a = memref.alloc() : memref<4x4xf32>
// CHECK-NEXT: %0 = "test.op"(%a, %i) : (memref<4x4xf32>, index) -> f32
// CHECK-NEXT: memref.store %0, %a[%i, %i] : memref<4x4xf32>
// CHECK-NEXT: memref.dealloc %a : memref<4x4xf32>
// CHECK-NEXT: func.return
func.func @others(%i: index) {
  %a = memref.alloc() : memref<4x4xf32>
  %0 = "test.op"(%a, %i) : (memref<4x4xf32>, index) -> f32
  memref.store %0, %a[%i, %i] : memref<4x4xf32>
  memref.dealloc %a : memref<4x4xf32>
  func.return
}
