// RUN: teloom-opt %s --split-input-file -p storage-flatten | filecheck %s

// Row i of a lower triangle begins at i * (i + 1) / 2, written as a product without a remainder; so
// is the number of elements.
func.func @lower(%n: index, %v: f32) {
  %b = loop.realize "b" [0 : %n, 0 : %n] layout affine_map<(d0, d1) -> (d0, d1)> packed lower : !loop.tensor<2, f32>
  loop.for %i = 0 to %n {
    loop.for %j = 0 to %i + 1 {
      loop.store %v, %b[%i, %j] : f32
    }
  }
  func.return
}

// CHECK-LABEL: func.func @lower
// CHECK-NEXT:    %[[COUNT:.*]] = loop.element_count [%n ceildiv 2, %n floordiv 2 * 2 + 1]
// CHECK-NEXT:    %b = memref.alloc(%[[COUNT]]) {alignment = 64 : i64} : memref<?xf32>
// CHECK:             %[[HALF:.*]] = affine.apply affine_map<(d0) -> ((d0 ceildiv 2))> (%i)
// CHECK-NEXT:        %[[ODD:.*]] = affine.apply affine_map<(d0) -> ((((d0 floordiv 2) * 2) + 1))> (%i)
// CHECK-NEXT:        %[[ROW:.*]] = arith.muli %[[HALF]], %[[ODD]] : index
// CHECK-NEXT:        %[[AT:.*]] = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%j, %[[ROW]])
// CHECK-NEXT:        memref.store %v, %b[%[[AT]]] : memref<?xf32>

// -----

// The column 0 that row i of an upper triangle would have lies i * (i + 1) / 2 before i * n.
func.func @upper(%v: f32) {
  %b = loop.realize "b" [0 : 5, 0 : 5] layout affine_map<(d0, d1) -> (d0, d1)> packed upper : !loop.tensor<2, f32>
  loop.for %i = 0 to 5 {
    loop.for %j = %i to 5 {
      loop.store %v, %b[%i, %j] : f32
    }
  }
  func.return
}

// CHECK-LABEL: func.func @upper
// CHECK-NEXT:    %b = memref.alloca() {alignment = 32 : i64} : memref<15xf32>
// CHECK:             %[[ROW:.*]] = arith.muli
// CHECK-NEXT:        affine.apply affine_map<(d0, d1, d2) -> (((d0 + (d1 * 5)) + (d2 * -1)))> (%j, %i, %[[ROW]])

// -----

// In constant rows nothing is multiplied. Rows and columns count from the start of the region.
func.func @constant(%v: f32) {
  %b = loop.realize "b" [3 : 4, 7 : 4] layout affine_map<(d0, d1) -> (d0, d1)> packed lower : !loop.tensor<2, f32>
  loop.store %v, %b[3, 7] : f32
  loop.store %v, %b[6, 9] : f32
  func.return
}

// CHECK-LABEL: func.func @constant
// CHECK-NEXT:    %b = memref.alloca() {alignment = 32 : i64} : memref<10xf32>
// CHECK-NEXT:    %[[FIRST:.*]] = arith.constant 0 : index
// CHECK-NEXT:    memref.store %v, %b[%[[FIRST]]] : memref<10xf32>
// CHECK-NEXT:    %[[OTHER:.*]] = arith.constant 8 : index
// CHECK-NEXT:    memref.store %v, %b[%[[OTHER]]] : memref<10xf32>

// -----

// Several triangles lie behind one another.
func.func @batch(%v: f32, %n: index) {
  %b = loop.realize "b" [0 : %n, 0 : 4, 0 : 4] layout affine_map<(d0, d1, d2) -> (d0, d1, d2)> packed lower : !loop.tensor<3, f32>
  loop.for %k = 0 to %n {
    loop.store %v, %b[%k, 3, 1] : f32
  }
  func.return
}

// CHECK-LABEL: func.func @batch
// CHECK:         loop.element_count [%n, 10]
// CHECK:           affine.apply affine_map<(d0) -> (((d0 * 10) + 7))> (%k)

// -----

// Conditions on index values say where an element is read.
func.func @guarded(%n: index, %data: memref<?xf32>) {
  %a = loop.bind %data [0 : %n, 0 : %n] layout affine_map<(d0, d1) -> (d0, d1)> packed lower : memref<?xf32>
  loop.for %i = 0 to %n {
    loop.for %j = 0 to %n {
      %holds = arith.cmpi sle, %j, %i : index
      %v = scf.if %holds -> (f32) {
        %below = loop.load %a[%i, %j] : f32
        scf.yield %below : f32
      } else {
        %above = loop.load %a[%j, %i] : f32
        scf.yield %above : f32
      }
      "test.op"(%v) : (f32) -> ()
    }
  }
  func.return
}

// CHECK-LABEL: func.func @guarded
// CHECK:         scf.if
// CHECK:           memref.load %data
// CHECK:         } else {
// CHECK:           memref.load %data
