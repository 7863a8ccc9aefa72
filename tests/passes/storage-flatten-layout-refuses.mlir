// RUN: not teloom-opt %s --split-input-file -p storage-flatten 2>&1 | filecheck %s

// Two elements at one address are shown.
// CHECK: error: storage-flatten: the layout affine_map<(d0, d1) -> ((d0 mod 2), (d1 mod 2))> of "b" puts elements [{{[0-9]}}, {{[0-9]}}] and [{{[0-9]}}, {{[0-9]}}], counted from the start of the region, both at [{{[01]}}, {{[01]}}]; a layout gives each element a place of its own, and fold_storage lets elements share one where their lifetimes allow
func.func @contracted() {
  %b = loop.realize "b" [0 : 4, 0 : 4] layout affine_map<(d0, d1) -> (d0 mod 2, d1 mod 2)> : !loop.tensor<2, f32>
  func.return
}

// -----

// So are the sizes at which they meet.
// CHECK: error: storage-flatten: the layout affine_map<(d0) -> ((d0 mod 4))> of "b" puts elements [{{[04]}}] and [{{[04]}}], counted from the start of the region, both at [0] when n = 5; a layout
func.func @symbolic(%n: index) {
  %b = loop.realize "b" [0 : %n] layout affine_map<(d0) -> (d0 mod 4)> : !loop.tensor<1, f32>
  func.return
}

// -----

// Storage of constant length holds the physical coordinates.
// CHECK: error: storage-flatten: a region of 9 physical elements in storage memref<8xf32>
func.func @length(%data: memref<8xf32>) {
  %b = loop.bind %data [0 : 8] layout affine_map<(d0) -> (d0 mod 3, d0 floordiv 3)> : memref<8xf32>
  func.return
}
