// RUN: teloom-opt %s -p flatten-views | filecheck %s

// An access adds the offset and the strides; what is constant is folded.
// CHECK-LABEL: @constant
// CHECK: %[[from:.*]] = affine.apply affine_map<(d0, d1) -> ((((d0 * 64) + d1) + 137))> (%i, %j)
// CHECK-NEXT: %v = memref.load %A[%[[from]]] : memref<4096xf32>
// CHECK: memref.store %v, %A[%{{.*}}] : memref<4096xf32>
func.func @constant(%i: index, %j: index, %A: memref<4096xf32>) {
  %a = memref.reinterpret_cast %A to offset: [137], sizes: [4, 8], strides: [64, 1] : memref<4096xf32> to memref<4x8xf32, strided<[64, 1], offset: 137>>
  %v = memref.load %a[%i, %j] : memref<4x8xf32, strided<[64, 1], offset: 137>>
  memref.store %v, %a[%j, %i] : memref<4x8xf32, strided<[64, 1], offset: 137>>
  func.return
}

// CHECK-LABEL: @symbolic
// CHECK: %[[row:.*]] = arith.muli %i, %stride : index
// CHECK: %[[rest:.*]] = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%offset, %j)
// CHECK: %[[at:.*]] = arith.addi %[[rest]], %[[row]] : index
// CHECK: memref.load %A[%[[at]]] : memref<?xf32>
func.func @symbolic(%i: index, %j: index, %offset: index, %stride: index, %A: memref<?xf32>) -> f32 {
  %a = memref.reinterpret_cast %A to offset: [%offset], sizes: [4, 8], strides: [%stride, 1] : memref<?xf32> to memref<4x8xf32, strided<[?, 1], offset: ?>>
  %v = memref.load %a[%i, %j] : memref<4x8xf32, strided<[?, 1], offset: ?>>
  func.return %v : f32
}

// Metadata are the values that made the view; the address is that of the buffer.
// CHECK-LABEL: @metadata
// CHECK: %[[column:.*]] = arith.constant 1 : index
// CHECK: %address = memref.extract_aligned_pointer_as_index %A : memref<?xf32> -> index
// CHECK: "test.op"(%offset, %n, %stride, %[[column]], %n, %address)
func.func @metadata(%n: index, %offset: index, %stride: index, %A: memref<?xf32>) {
  %a = memref.reinterpret_cast %A to offset: [%offset], sizes: [%n, 8], strides: [%stride, 1] : memref<?xf32> to memref<?x8xf32, strided<[?, 1], offset: ?>>
  %base, %o, %s0, %s1, %t0, %t1 = memref.extract_strided_metadata %a : memref<?x8xf32, strided<[?, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
  %zero = arith.constant 0 : index
  %d = memref.dim %a, %zero : memref<?x8xf32, strided<[?, 1], offset: ?>>
  %address = "memref.extract_aligned_pointer_as_index"(%a) : (memref<?x8xf32, strided<[?, 1], offset: ?>>) -> index
  "test.op"(%o, %s0, %t0, %t1, %d, %address) : (index, index, index, index, index, index) -> ()
  func.return
}

// A view of a whole flat buffer is that buffer, for any op.
// CHECK-LABEL: @whole
// CHECK-NEXT: "test.op"(%A) : (memref<?xf32>) -> ()
func.func @whole(%n: index, %A: memref<?xf32>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [%n], strides: [1] : memref<?xf32> to memref<?xf32>
  "test.op"(%a) : (memref<?xf32>) -> ()
  func.return
}

// A vector begins where its first lane does; its alignment is what the op says, or an element's.
// CHECK-LABEL: @vectors
// CHECK: %[[from:.*]] = affine.apply affine_map<(d0) -> (((d0 * 64) + 138))> (%i)
// CHECK-NEXT: %v = vector.load %A[%[[from]]] : memref<4096xf32>, vector<4xf32>
// CHECK: vector.store %v, %A[%{{.*}}] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
func.func @vectors(%i: index, %j: index, %A: memref<4096xf32>) {
  %a = memref.reinterpret_cast %A to offset: [137], sizes: [4, 8], strides: [64, 1] : memref<4096xf32> to memref<4x8xf32, strided<[64, 1], offset: 137>>
  %one = arith.constant 1 : index
  %v = vector.load %a[%i, %one] : memref<4x8xf32, strided<[64, 1], offset: 137>>, vector<4xf32>
  vector.store %v, %a[%j, %i] {alignment = 16 : i64} : memref<4x8xf32, strided<[64, 1], offset: 137>>, vector<4xf32>
  func.return
}

// A part of a view is a view: strides are multiplied, and an axis of one element may be left out.
// CHECK-LABEL: @part
// CHECK: %[[at:.*]] = affine.apply affine_map<(d0, d1) -> ((((d0 * 64) + (d1 * 2)) + 138))> (%i, %j)
// CHECK-NEXT: memref.load %A[%[[at]]] : memref<4096xf32>
func.func @part(%i: index, %j: index, %A: memref<4096xf32>) -> f32 {
  %a = memref.reinterpret_cast %A to offset: [137], sizes: [4, 8], strides: [64, 1] : memref<4096xf32> to memref<4x8xf32, strided<[64, 1], offset: 137>>
  %p = memref.subview %a[%i, 1] [1, 3] [1, 2] : memref<4x8xf32, strided<[64, 1], offset: 137>> to memref<3xf32, strided<[2], offset: ?>>
  %v = memref.load %p[%j] : memref<3xf32, strided<[2], offset: ?>>
  func.return %v : f32
}

// So is one of symbolic steps, and one by another type.
// CHECK-LABEL: @steps
// CHECK: %[[step:.*]] = arith.muli %stride, %n : index
// CHECK: "test.op"(%{{.*}}, %[[step]], %n)
func.func @steps(%n: index, %stride: index, %A: memref<?xf32>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [%n, 8], strides: [%stride, 1] : memref<?xf32> to memref<?x8xf32, strided<[?, 1]>>
  %p = memref.subview %a[2, 1] [3, 2] [%n, %n] : memref<?x8xf32, strided<[?, 1]>> to memref<3x2xf32, strided<[?, ?], offset: ?>>
  %c = "memref.cast"(%p) : (memref<3x2xf32, strided<[?, ?], offset: ?>>) -> memref<?x2xf32, strided<[?, ?], offset: ?>>
  %base, %o, %s0, %s1, %t0, %t1 = memref.extract_strided_metadata %c : memref<?x2xf32, strided<[?, ?], offset: ?>> -> memref<f32>, index, index, index, index, index
  "test.op"(%o, %t0, %t1) : (index, index, index) -> ()
  func.return
}

// A part of a flat buffer itself.
// CHECK-LABEL: func.func @flat
// CHECK-NEXT:    loop.for %i = 0 to 4 {
// CHECK-NEXT:      affine.apply affine_map<(d0, d1) -> ((d0 + (d1 * 2)))> (%n, %i)
// CHECK-NEXT:      memref.load %A
// CHECK-NOT:   memref.subview
func.func @flat(%A: memref<?xf32>, %n: index, %C: memref<4xf32>) {
  %part = memref.subview %A[%n] [4] [2] : memref<?xf32> to memref<4xf32, strided<[2], offset: ?>>
  loop.for %i = 0 to 4 {
    %x = memref.load %part[%i] : memref<4xf32, strided<[2], offset: ?>>
    memref.store %x, %C[%i] : memref<4xf32>
  }
  func.return
}
