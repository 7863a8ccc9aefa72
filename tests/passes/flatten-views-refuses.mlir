// RUN: not teloom-opt %s -p flatten-views --split-input-file 2>&1 | filecheck %s

// CHECK: error: flatten-views: test.op uses a buffer of type memref<4x4xf32>; flatten-views knows memref.load, memref.store, vector.load, vector.store, memref.subview, memref.cast, memref.dim, memref.extract_strided_metadata and memref.extract_aligned_pointer_as_index
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

// -----

// Lanes are neighbours in memory.
// CHECK: error: flatten-views: vector.load wants a buffer whose last axis has the constant stride 1, not 4
func.func @lanes_apart(%i: index, %A: memref<16xf32>) -> vector<4xf32> {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [4], strides: [4] : memref<16xf32> to memref<4xf32, strided<[4]>>
  %v = vector.load %a[%i] : memref<4xf32, strided<[4]>>, vector<4xf32>
  func.return %v : vector<4xf32>
}

// -----

// CHECK: error: flatten-views: vector.store wants a buffer whose last axis has the constant stride 1, not a symbolic one
func.func @lanes_anywhere(%i: index, %A: memref<16xf32>, %v: vector<4xf32>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [4], strides: [%i] : memref<16xf32> to memref<4xf32, strided<[?]>>
  vector.store %v, %a[%i] : memref<4xf32, strided<[?]>>, vector<4xf32>
  func.return
}

// -----

// CHECK: error: flatten-views: vector.load wants a buffer whose last axis has the constant stride 1, not one without axes
func.func @no_axes(%A: memref<16xf32>) -> vector<1xf32> {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [], strides: [] : memref<16xf32> to memref<f32>
  %v = vector.load %a[] : memref<f32>, vector<1xf32>
  func.return %v : vector<1xf32>
}

// -----

// CHECK: error: flatten-views: vector.load of vector<2x2xf32>: a vector of a buffer has one axis
func.func @two_axes(%i: index, %A: memref<16xf32>) -> vector<2x2xf32> {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<16xf32> to memref<4x4xf32>
  %v = vector.load %a[%i, %i] : memref<4x4xf32>, vector<2x2xf32>
  func.return %v : vector<2x2xf32>
}

// -----

// CHECK: error: flatten-views: memref.subview of memref<4x4xf32> gives no memref<3xf32, strided<[1]>>
func.func @other_part(%A: memref<16xf32>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<16xf32> to memref<4x4xf32>
  %p = memref.subview %a[0, 0] [2, 3] [1, 1] : memref<4x4xf32> to memref<3xf32, strided<[1]>>
  func.return
}

// -----

// CHECK: error: flatten-views: memref.cast of memref<4x4xf32> to memref<4x4xi32>, which it is not
func.func @other_elements(%A: memref<16xf32>) {
  %a = memref.reinterpret_cast %A to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<16xf32> to memref<4x4xf32>
  %c = "memref.cast"(%a) : (memref<4x4xf32>) -> memref<4x4xi32>
  func.return
}
