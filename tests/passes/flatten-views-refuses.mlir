// RUN: not teloom-opt %s -p flatten-views --split-input-file 2>&1 | filecheck %s

// CHECK: error: flatten-views: test.op uses a buffer of type memref<4x4xf32>; flatten-views knows memref.load, memref.store, memref.dim, memref.extract_strided_metadata and memref.extract_aligned_pointer_as_index
func.func @passed_on(%A: memref<16xf32>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<16xf32> to memref<4x4xf32>
  "test.op"(%a) : (memref<4x4xf32>) -> ()
  func.return
}

// -----

// CHECK: error: flatten-views: the base buffer of memref.extract_strided_metadata is used; its address is that of the view: use memref.extract_aligned_pointer_as_index
func.func @base(%A: memref<16xf32>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<16xf32> to memref<4x4xf32>
  %base, %o, %s0, %s1, %t0, %t1 = memref.extract_strided_metadata %a : memref<4x4xf32> -> memref<f32>, index, index, index, index, index
  "test.op"(%base) : (memref<f32>) -> ()
  func.return
}

// -----

// CHECK: error: flatten-views: memref.dim of a buffer wants a constant axis, 0..1
func.func @dim(%i: index, %A: memref<16xf32>) -> index {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<16xf32> to memref<4x4xf32>
  %d = memref.dim %a, %i : memref<4x4xf32>
  func.return %d : index
}
