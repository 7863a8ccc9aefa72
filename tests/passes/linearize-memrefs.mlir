// RUN: teloom-opt %s --split-input-file -p linearize-memrefs | filecheck %s

// Each further dimension is behind the one before; constant sizes go into the map.
func.func @constant(%i: index, %j: index, %k: index) -> f32 {
  %a = memref.alloc() {alignment = 64 : i64} : memref<5x3x4xf32>
  %v = memref.load %a[%i, %j, %k] : memref<5x3x4xf32>
  memref.dealloc %a : memref<5x3x4xf32>
  func.return %v : f32
}

// CHECK-LABEL: func.func @constant
// CHECK-NEXT:    %a = memref.alloc() {alignment = 64 : i64} : memref<60xf32>
// CHECK-NEXT:    %[[ROW:.*]] = affine.apply affine_map<(d0, d1) -> (((d0 * 3) + d1))> (%i, %j)
// CHECK-NEXT:    %[[AT:.*]] = affine.apply affine_map<(d0, d1) -> (((d0 * 4) + d1))> (%[[ROW]], %k)
// CHECK-NEXT:    %v = memref.load %a[%[[AT]]] : memref<60xf32>
// CHECK-NEXT:    memref.dealloc %a : memref<60xf32>

// -----

// Symbolic sizes are multiplied where the buffer is allocated, and where it is accessed.
func.func @symbolic(%n: index, %m: index, %i: index, %j: index, %k: index, %v: f32) {
  %a = memref.alloc(%n, %m) : memref<?x?x4xf32>
  memref.store %v, %a[%i, %j, %k] : memref<?x?x4xf32>
  memref.dealloc %a : memref<?x?x4xf32>
  func.return
}

// CHECK-LABEL: func.func @symbolic
// CHECK-NEXT:    %[[SIZE:.*]] = loop.element_count [%n, %m, 4]
// CHECK-NEXT:    %a = memref.alloc(%[[SIZE]]) : memref<?xf32>
// CHECK-NEXT:    %[[START:.*]] = arith.muli %i, %m : index
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %[[START]], %j : index
// CHECK-NEXT:    %[[AT:.*]] = affine.apply affine_map<(d0, d1) -> (((d0 * 4) + d1))> (%[[ROW]], %k)
// CHECK-NEXT:    memref.store %v, %a[%[[AT]]] : memref<?xf32>

// -----

// Flat buffers and those of one element stay.
func.func @flat(%i: index, %v: f32) {
  %a = memref.alloca() : memref<4xf32>
  memref.store %v, %a[%i] : memref<4xf32>
  %b = memref.alloca() : memref<f32>
  memref.store %v, %b[] : memref<f32>
  func.return
}

// CHECK-LABEL: func.func @flat
// CHECK:         memref.store %v, %a[%i] : memref<4xf32>
// CHECK:         memref.store %v, %b[] : memref<f32>
