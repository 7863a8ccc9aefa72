// RUN: teloom-opt %s -p storage-flatten | filecheck %s

// A box begins somewhere in the buffer; neighbours lie as far apart as in the whole region.
// CHECK-LABEL: @box
// CHECK: memref.reinterpret_cast %A to offset: [137], sizes: [4, 8], strides: [64, 1] : memref<4096xf32> to memref<4x8xf32, strided<[?, 1], offset: ?>>
func.func @box(%A: memref<4096xf32>) {
  %a = loop.bind %A [0 : 64, 0 : 64] : memref<4096xf32>
  %b = loop.buffer %a[2 : 4, 9 : 8] : memref<4x8xf32, strided<[?, 1], offset: ?>>
  "test.op"(%b) : (memref<4x8xf32, strided<[?, 1], offset: ?>>) -> ()
  func.return
}

// Coordinates are those of the tensor; the buffer holds a part of it.
// CHECK-LABEL: @part
// CHECK: %t = memref.alloca() {alignment = 64 : i64} : memref<24xi8>
// CHECK: memref.reinterpret_cast %t to offset: [9], sizes: [2, 3], strides: [8, 1]
func.func @part() {
  %t = loop.realize "T" [10 : 3, 4 : 8] : !loop.tensor<2, i8>
  %b = loop.buffer %t[11 : 2, 5 : 3] aligned 64 : memref<2x3xi8, strided<[8, 1], offset: 9>>
  "test.op"(%b) : (memref<2x3xi8, strided<[8, 1], offset: 9>>) -> ()
  func.return
}

// Symbolic strides are values; a whole region is compact, and its offset is 0.
// CHECK-LABEL: @symbolic
// CHECK: %[[plane:.*]] = arith.muli %k, %m : index
// CHECK: memref.reinterpret_cast %A to offset: [0], sizes: [%n, %m, %k], strides: [%[[plane]], %k, 1] : memref<?xf32> to memref<?x?x?xf32>
func.func @symbolic(%n: index, %m: index, %k: index, %A: memref<?xf32>) {
  %a = loop.bind %A [0 : %n, 0 : %m, 0 : %k] : memref<?xf32>
  %b = loop.buffer %a[0 : %n, 0 : %m, 0 : %k] : memref<?x?x?xf32>
  "test.op"(%b) : (memref<?x?x?xf32>) -> ()
  func.return
}

// The offset is a multiple of 8, whatever the sizes are; an extent below 0 counts as 0.
// CHECK-LABEL: @factor
// CHECK: %[[start:.*]] = affine.apply affine_map<(d0) -> ((d0 * 16))> (%i)
// CHECK: %[[size:.*]] = loop.element_count [%n - 4]
// CHECK: memref.reinterpret_cast %A to offset: [%[[start]]], sizes: [%[[size]]], strides: [1]
func.func @factor(%i: index, %n: index, %A: memref<?xf32> {llvm.align = 32 : i64}) {
  %a = loop.bind %A [0 : %n * 16] : memref<?xf32>
  %b = loop.buffer %a[%i * 16 : %n - 4] aligned 32 factor 8 : memref<?xf32, strided<[1], offset: ?>>
  "test.op"(%b) : (memref<?xf32, strided<[1], offset: ?>>) -> ()
  func.return
}

// An axis of one element has any stride.
// CHECK-LABEL: @one_row
// CHECK: memref.reinterpret_cast %A to offset: [0], sizes: [1, 8], strides: [64, 1] : memref<128xf32> to memref<1x8xf32>
func.func @one_row(%A: memref<128xf32>) {
  %a = loop.bind %A [0 : 2, 0 : 64] : memref<128xf32>
  %b = loop.buffer %a[0 : 1, 0 : 8] : memref<1x8xf32>
  "test.op"(%b) : (memref<1x8xf32>) -> ()
  func.return
}

// The caller's array is aligned, and its offset a multiple of 16, as the argument says; a row
// of 64 elements is a multiple of 16 further on.
// CHECK-LABEL: @declared
// CHECK: memref.reinterpret_cast %A
func.func @declared(%i: index, %o: index, %A: memref<?xf32>) attributes {te.signature = {sizes = ["i", "o"], arrays = [{name = "A", dtype = "float32", offset = affine_map<()[s0, s1] -> (s1)>, offset_factor = 48 : i64, alignment = 256 : i64}]}} {
  %a = loop.bind %A [0 : 8, 0 : 64] offset %o : memref<?xf32>
  %b = loop.buffer %a[%i : 1, 0 : 64] aligned 64 factor 16 : memref<1x64xf32, strided<[64, 1], offset: ?>>
  "test.op"(%b) : (memref<1x64xf32, strided<[64, 1], offset: ?>>) -> ()
  func.return
}

// A memory space is the scope in which the tensor is; without one it may be in any.
// CHECK-LABEL: @scopes
// CHECK: %t = memref.alloca() {{.*}} : memref<8xf32, "shared">
// CHECK: memref.reinterpret_cast %t
// CHECK: memref.reinterpret_cast %t
func.func @scopes() {
  %t = loop.realize "T" [0 : 8] in "shared" : !loop.tensor<1, f32>
  %b = loop.buffer %t[0 : 8] : memref<8xf32, "shared">
  %c = loop.buffer %t[0 : 4] : memref<4xf32>
  "test.op"(%b, %c) : (memref<8xf32, "shared">, memref<4xf32>) -> ()
  func.return
}

// A buffer may leave out leading axes of one element; those that are left keep their strides.
// CHECK-LABEL: @left_out
// CHECK: memref.reinterpret_cast %A to offset: [{{%.*}}], sizes: [8], strides: [1] : memref<4096xf32> to memref<8xf32, strided<[1], offset: ?>>
func.func @left_out(%A: memref<4096xf32>) {
  %a = loop.bind %A [0 : 64, 0 : 64] : memref<4096xf32>
  loop.for %i = 0 to 64 {
    %b = loop.buffer %a[%i : 1, 8 : 8] factor 8 : memref<8xf32, strided<[1], offset: ?>>
    "test.op"(%b) : (memref<8xf32, strided<[1], offset: ?>>) -> ()
  }
  func.return
}
