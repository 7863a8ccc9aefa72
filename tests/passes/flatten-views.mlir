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
// CHECK: %address = "memref.extract_aligned_pointer_as_index"(%A) : (memref<?xf32>) -> index
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
