// RUN: not teloom-opt %s -p storage-flatten --split-input-file 2>&1 | filecheck %s

// A part of each row is not compact.
// CHECK: error: storage-flatten: the buffer of a: axis 0 has the stride 64, but the buffer asks for 8; leave the stride open, as `?` in its layout
func.func @gaps(%A: memref<4096xf32>) {
  %a = loop.bind %A [0 : 64, 0 : 64] : memref<4096xf32>
  %b = loop.buffer %a[0 : 64, 0 : 8] : memref<64x8xf32>
  func.return
}

// -----

// Strides that depend on sizes are equal only if they are so for all sizes.
// CHECK: error: storage-flatten: the buffer of a: axis 0 has the stride m, but the buffer asks for n;
func.func @symbolic(%n: index, %m: index, %A: memref<?xf32>) {
  %a = loop.bind %A [0 : %n, 0 : %m] : memref<?xf32>
  %b = loop.buffer %a[0 : %n, 0 : %n] : memref<?x?xf32>
  func.return
}

// -----

// CHECK: error: storage-flatten: the buffer of a: axis 1 has the stride 1, but the buffer asks for 2;
func.func @stride(%A: memref<64xf32>) {
  %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf32>
  %b = loop.buffer %a[0 : 8, 0 : 8] : memref<8x8xf32, strided<[8, 2]>>
  func.return
}

// -----

// CHECK: error: storage-flatten: the buffer of a: the box begins at element 8, but the buffer asks for offset 0; leave the offset open, as `offset: ?` in its layout
func.func @offset(%A: memref<64xf32>) {
  %a = loop.bind %A [0 : 8, 0 : 8] : memref<64xf32>
  %b = loop.buffer %a[1 : 1, 0 : 8] : memref<1x8xf32>
  func.return
}

// -----

// CHECK: error: storage-flatten: the buffer of a: the box begins at element i * m * 4, which is not provably a multiple of 16
func.func @factor(%i: index, %n: index, %m: index, %A: memref<?xf32>) {
  %a = loop.bind %A [0 : %n, 0 : %m] : memref<?xf32>
  %b = loop.buffer %a[%i * 4 : 1, 0 : %m] factor 16 : memref<1x?xf32, strided<[?, 1], offset: ?>>
  func.return
}

// -----

// The caller's arrays are aligned as their elements are.
// CHECK: error: storage-flatten: the buffer of a: its memory begins at a multiple of 4 bytes, but the buffer asks for 64
func.func @aligned(%A: memref<64xf32>) {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %b = loop.buffer %a[0 : 64] aligned 64 : memref<64xf32>
  func.return
}

// -----

// What the argument says is less than what is asked.
// CHECK: error: storage-flatten: the buffer of a: its memory begins at a multiple of 32 bytes, but the buffer asks for 64
func.func @declared_alignment(%A: memref<64xf32>) attributes {te.signature = {arrays = [{name = "A", dtype = "float32", alignment = 32 : i64}]}} {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %b = loop.buffer %a[0 : 64] aligned 64 : memref<64xf32>
  func.return
}

// -----

// The offset of the array is a multiple of 16, the box begins 8 elements further.
// CHECK: error: storage-flatten: the buffer of a: the box begins at element o + 8, which is not provably a multiple of 16
func.func @declared_factor(%o: index, %A: memref<?xf32>) attributes {te.signature = {sizes = ["o"], arrays = [{name = "A", dtype = "float32", offset = affine_map<()[s0] -> (s0)>, offset_factor = 16 : i64}]}} {
  %a = loop.bind %A [0 : 64] offset %o : memref<?xf32>
  %b = loop.buffer %a[8 : 8] factor 16 : memref<8xf32, strided<[1], offset: ?>>
  func.return
}

// -----

// CHECK: error: storage-flatten: the buffer of a: it is in scope "global", but the buffer asks for "shared"; set_scope says where a stage is
func.func @scope(%A: memref<64xf32>) {
  %a = loop.bind %A [0 : 64] : memref<64xf32>
  %b = loop.buffer %a[0 : 64] : memref<64xf32, "shared">
  func.return
}

// -----

// A factor holds at every point, or not at all.
// CHECK: error: storage-flatten: the buffer of a: the box begins at element i * 24, which is not provably a multiple of 16
func.func @point(%A: memref<4096xf32>) {
  %a = loop.bind %A [0 : 4096] : memref<4096xf32>
  loop.for %i = 0 to 64 {
    %b = loop.buffer %a[%i * 24 : 16] factor 16 : memref<16xf32, strided<[1], offset: ?>>
    "test.op"(%b) : (memref<16xf32, strided<[1], offset: ?>>) -> ()
  }
  func.return
}

// -----

// Rows that share memory have no stride.
// CHECK: error: storage-flatten: the buffer of b: axis 0 of b is folded by 3, but the code of an extern, a hybrid script or an intrinsic takes row-major memory; cache_read gives it a copy that is
func.func @folded() {
  %b = loop.realize "b" [0 : 8, 0 : 16] folded axis 0 factor 3 : !loop.tensor<2, f32>
  %box = loop.buffer %b[0 : 2, 0 : 16] : memref<2x16xf32>
  func.return
}

// -----

// CHECK: error: storage-flatten: a bound or subscript needs the number -590295810358705651575, which does not fit into 64 bits
// CHECK-NEXT: %b = loop.buffer
func.func @far_away(%A: memref<4096xf32>) {
  %a = loop.bind %A [9223372036854775807 + 1 : 64, 0 : 64] : memref<4096xf32>
  %b = loop.buffer %a[2 : 4, 9 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
  "test.op"(%b) : (memref<4x8xf32, strided<[?, 1], offset: ?>>) -> ()
  func.return
}
