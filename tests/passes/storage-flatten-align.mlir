// RUN: teloom-opt %s --split-input-file -p storage-flatten | filecheck %s

// A row of 16 gets a gap of one element: the stride is 17, and eight rows take 136.
func.func @gap(%v: f32, %i: index, %j: index) {
  %b = loop.realize "b" [0 : 8, 0 : 16] aligned axis 0 factor 2 offset 1 : !loop.tensor<2, f32>
  loop.store %v, %b[%i, %j] : f32
  func.return
}

// CHECK-LABEL: func.func @gap
// CHECK-NEXT:    %b = memref.alloca() {alignment = 64 : i64} : memref<136xf32>
// CHECK-NEXT:    %0 = affine.apply affine_map<(d0, d1) -> (((d0 * 17) + d1))> (%i, %j)
// CHECK-NEXT:    memref.store %v, %b[%0] : memref<136xf32>

// -----

// A stride that fits already stays; the axes outside build on the one with a gap.
func.func @inner(%v: f32, %i: index, %j: index, %k: index) {
  %b = loop.realize "b" [0 : 5, 0 : 4, 0 : 6] aligned axis 1 factor 8 offset 0, axis 0 factor 2 offset 0 : !loop.tensor<3, f32>
  loop.store %v, %b[%i, %j, %k] : f32
  func.return
}

// CHECK-LABEL: func.func @inner
// CHECK-NEXT:    %b = memref.alloca() {alignment = 64 : i64} : memref<160xf32>
// CHECK-NEXT:    %0 = affine.apply affine_map<(d0, d1, d2) -> ((((d0 * 32) + (d1 * 8)) + d2))> (%i, %j, %k)

// -----

// The innermost axis may have a stride too.
func.func @innermost(%v: f32, %i: index, %j: index) {
  %b = loop.realize "b" [0 : 5, 0 : 4] aligned axis 1 factor 3 offset 0 : !loop.tensor<2, f32>
  loop.store %v, %b[%i, %j] : f32
  func.return
}

// CHECK-LABEL: func.func @innermost
// CHECK-NEXT:    %b = memref.alloca() {alignment = 64 : i64} : memref<60xf32>
// CHECK-NEXT:    %0 = affine.apply affine_map<(d0, d1) -> (((d0 * 12) + (d1 * 3)))> (%i, %j)

// -----

// A symbolic stride is rounded up where the buffer is made.
func.func @symbolic(%n: index, %m: index, %v: f32, %i: index, %j: index) {
  %b = loop.realize "b" [0 : %n, 0 : %m] aligned axis 0 factor 32 offset 8 : !loop.tensor<2, f32>
  loop.store %v, %b[%i, %j] : f32
  func.return
}

// CHECK-LABEL: func.func @symbolic
// CHECK-NEXT:    %[[STRIDE:.*]] = loop.element_count [%m]
// CHECK-NEXT:    %[[ALIGNED:.*]] = affine.apply affine_map<(d0) -> (((((d0 + 23) floordiv 32) * 32) + 8))> (%[[STRIDE]])
// CHECK:         %b = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT:    %{{.*}} = arith.muli %i, %[[ALIGNED]] : index
