// RUN: not teloom-opt %s --split-input-file -p storage-flatten 2>&1 | filecheck %s

// A write beside a triangle.
// CHECK: error: storage-flatten: b[0, 1] is written, for n = 2, i = 0, but the layout affine_map<(d0, d1) -> (d0, d1)> packed lower has no place for it: of row r it has columns 0 to r, counted from [0, 0], where the region starts; access only these, or store the whole box
func.func @written(%n: index, %i: index, %v: f32) {
  %b = loop.realize "b" [0 : %n, 0 : %n] layout affine_map<(d0, d1) -> (d0, d1)> packed lower : !loop.tensor<2, f32>
  loop.for %j = 0 to %n {
    loop.store %v, %b[%i, %j] : f32
  }
  func.return
}

// -----

// A read under a condition of which nothing is known.
// CHECK: error: storage-flatten: a[1, 0] is read, but the layout affine_map<(d0, d1) -> (d0, d1)> packed upper has no place for it: of row r it has columns r to the last
func.func @guarded(%holds: i1, %data: memref<3xf32>, %zero: f32) -> f32 {
  %a = loop.bind %data [0 : 2, 0 : 2] layout affine_map<(d0, d1) -> (d0, d1)> packed upper : memref<3xf32>
  %v = scf.if %holds -> (f32) {
    %below = loop.load %a[1, 0] : f32
    scf.yield %below : f32
  } else {
    scf.yield %zero : f32
  }
  func.return %v : f32
}

// -----

// A triangle has no strides.
// CHECK: error: storage-flatten: the buffer of a: a has the layout affine_map<(d0, d1) -> (d0, d1)> packed lower, but the code of an extern
func.func @box(%data: memref<3xf32>) {
  %a = loop.bind %data [0 : 2, 0 : 2] layout affine_map<(d0, d1) -> (d0, d1)> packed lower : memref<3xf32>
  %b = loop.buffer %a[0 : 1, 0 : 1] : memref<1x1xf32, strided<[?, ?], offset: ?>>
  func.return
}

// -----

// Storage of another length.
// CHECK: error: storage-flatten: a region of 3 physical elements in storage memref<4xf32>
func.func @length(%data: memref<4xf32>) {
  %a = loop.bind %data [0 : 2, 0 : 2] layout affine_map<(d0, d1) -> (d0, d1)> packed lower : memref<4xf32>
  func.return
}
