// RUN: teloom-opt %s --split-input-file -p storage-flatten | filecheck %s

// A folded axis has as many rows as its factor, and its coordinates count modulo that; coordinates
// that a loop makes small enough need no remainder.
func.func @circle(%A: memref<64xf32>) {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %b = loop.realize "b" [2 : 66, 0 : 16] folded axis 0 factor 3 : !loop.tensor<2, f32>
  loop.for %y = 2 to 60 {
    loop.for %x = 0 to 16 {
      %v = loop.load %a[%x] : f32
      loop.store %v, %b[%y + 1, %x] : f32
    }
  }
  loop.for %y = 2 to 4 {
    %v = loop.load %b[%y, 0] : f32
    loop.store %v, %a[%y] : f32
  }
  func.return
}

// CHECK-LABEL: func.func @circle
// CHECK-NEXT:    %b = memref.alloca() {alignment = 64 : i64} : memref<48xf32>
// CHECK-NEXT:    loop.for %y = 0 to 58 {
// CHECK:             %0 = affine.apply affine_map<(d0, d1) -> ((d0 + (((d1 + 1) mod 3) * 16)))> (%x, %y)
// CHECK-NEXT:        memref.store %v, %b[%0] : memref<48xf32>
// CHECK:         loop.for %y_1 = 0 to 2 {
// CHECK-NEXT:      %1 = affine.apply affine_map<(d0) -> ((d0 * 16))> (%y_1)
// CHECK-NEXT:      %v_1 = memref.load %b[%1] : memref<48xf32>

// -----

// A fold that is aligned: the gap is behind each of its rows. Symbolic rows: the factor times those.
func.func @of_any_row(%n: index) {
  %one = arith.constant 1.0 : f32
  %b = loop.realize "b" [0 : 66, 0 : %n] folded axis 0 factor 3 : !loop.tensor<2, f32>
  %c = loop.realize "c" [0 : %n, 0 : 16] aligned axis 0 factor 32 offset 1 folded axis 0 factor 3 : !loop.tensor<2, f32>
  loop.for %y = 0 to 60 {
    loop.store %one, %b[%y, 0] : f32
    loop.store %one, %c[%y, 0] : f32
  }
  func.return
}

// CHECK-LABEL: func.func @of_any_row
// CHECK:         %b = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT:    %c = memref.alloca() {alignment = 64 : i64} : memref<99xf32>
