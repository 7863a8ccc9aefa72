// RUN: teloom-opt %s --split-input-file -p storage-flatten | filecheck %s

// Element [c, i, j] of a temporary that is stored as (j, c, i) lies at j * 15 + c * 5 + i.
func.func @permuted(%v: f32, %c: index, %i: index, %j: index) {
  %b = loop.realize "b" [0 : 3, 0 : 5, 0 : 7] layout affine_map<(d0, d1, d2) -> (d2, d0, d1)> : !loop.tensor<3, f32>
  loop.store %v, %b[%c, %i, %j] : f32
  func.return
}

// CHECK-LABEL: func.func @permuted
// CHECK-NEXT:    %b = memref.alloca() {alignment = 64 : i64} : memref<105xf32>
// CHECK-NEXT:    %0 = affine.apply affine_map<(d0, d1, d2) -> ((((d0 * 15) + (d1 * 5)) + d2))> (%j, %c, %i)

// -----

// Physical coordinates count from the start of the region.
func.func @from_offset(%v: f32, %y: index) {
  %b = loop.realize "b" [%y : 6] layout affine_map<(d0) -> (d0 mod 2, d0 floordiv 2)> : !loop.tensor<1, f32>
  loop.for %i = 0 to 6 {
    loop.store %v, %b[%y + %i] : f32
  }
  func.return
}

// CHECK-LABEL: func.func @from_offset
// CHECK:         %b = memref.alloca() {alignment = 16 : i64} : memref<6xf32>
// CHECK:           affine.apply affine_map<(d0) -> (((d0 * 3) + ((d0 floordiv 2) * -5)))> (%i)

// -----

// Where the loops were split as the layout is, no division is left, also in a partial tile.
func.func @split(%n: index, %v: f32) {
  %b = loop.realize "b" [0 : 5, 0 : %n] layout affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)> : !loop.tensor<2, f32>
  loop.for %o = 0 to %n ceildiv 4 {
    loop.for %i = 0 to 5 {
      loop.for %p = 0 to min(4, %n - %o * 4) {
        loop.store %v, %b[%i, %o * 4 + %p] : f32
      }
    }
  }
  func.return
}

// CHECK-LABEL: func.func @split
// CHECK:         %b = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK:           affine.apply affine_map<(d0, d1, d2) -> ((((d0 * 20) + (d1 * 4)) + d2))> (%o, %i, %p)

// -----

// Eight elements in blocks of three take three blocks, the last with a gap.
func.func @padded(%v: f32, %i: index) {
  %b = loop.realize "b" [0 : 8] layout affine_map<(d0) -> (d0 mod 3, d0 floordiv 3)> : !loop.tensor<1, f32>
  loop.store %v, %b[%i] : f32
  func.return
}

// CHECK-LABEL: func.func @padded
// CHECK-NEXT:    %b = memref.alloca() {alignment = 32 : i64} : memref<9xf32>
// CHECK-NEXT:    affine.apply affine_map<(d0) -> (((d0 * 3) + ((d0 floordiv 3) * -8)))> (%i)

// -----

// Negative coordinates count from the least one.
func.func @reversed(%n: index, %v: f32, %i: index) {
  %b = loop.realize "b" [0 : %n] layout affine_map<(d0) -> (d0 * -1)> : !loop.tensor<1, f32>
  loop.store %v, %b[%i] : f32
  func.return
}

// CHECK-LABEL: func.func @reversed
// CHECK:         affine.apply affine_map<(d0, d1) -> (((d0 + (d1 * -1)) + -1))> (%n, %i)

// -----

// An alignment is of the physical axis: 5 elements of axis 1 take 8.
func.func @aligned(%v: f32, %i: index, %j: index) {
  %b = loop.realize "b" [0 : 5, 0 : 7] aligned axis 1 factor 8 offset 0 layout affine_map<(d0, d1) -> (d1, d0)> : !loop.tensor<2, f32>
  loop.store %v, %b[%i, %j] : f32
  func.return
}

// CHECK-LABEL: func.func @aligned
// CHECK-NEXT:    %b = memref.alloca() {alignment = 64 : i64} : memref<56xf32>
// CHECK-NEXT:    affine.apply affine_map<(d0, d1) -> (((d0 * 8) + d1))> (%j, %i)

// -----

// Axes between separators are flattened together, each group to a dimension of its own.
func.func @separated(%v: f32, %i: index, %j: index) {
  %b = loop.realize "b" [0 : 6, 0 : 8] layout affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)> separators [2] : !loop.tensor<2, f32>
  loop.store %v, %b[%i, %j] : f32
  func.return
}

// CHECK-LABEL: func.func @separated
// CHECK-NEXT:    %b = memref.alloca() {alignment = 64 : i64} : memref<12x4xf32>
// CHECK-NEXT:    %0 = affine.apply affine_map<(d0, d1) -> ((((d0 floordiv 4) * 6) + d1))> (%j, %i)
// CHECK-NEXT:    %1 = affine.apply affine_map<(d0) -> ((d0 mod 4))> (%j)
// CHECK-NEXT:    memref.store %v, %b[%0, %1] : memref<12x4xf32>

// -----

// Given storage can have a layout; its dimension is one.
func.func @given(%data: memref<35xf32>, %v: f32, %i: index, %j: index) {
  %b = loop.bind %data [0 : 5, 0 : 7] layout affine_map<(d0, d1) -> (d1, d0)> : memref<35xf32>
  loop.store %v, %b[%i, %j] : f32
  func.return
}

// CHECK-LABEL: func.func @given
// CHECK-NEXT:    %0 = affine.apply affine_map<(d0, d1) -> (((d0 * 5) + d1))> (%j, %i)
// CHECK-NEXT:    memref.store %v, %data[%0] : memref<35xf32>
