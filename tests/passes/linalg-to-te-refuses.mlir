// RUN: not teloom-opt %s -p linalg-to-te --split-input-file 2>&1 | filecheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// CHECK: error: linalg-to-te: an output of linalg.generic is indexed by (d0, d1) -> (d0); it must have each parallel loop once, and no other
func.func @some(%A: tensor<4x8xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "parallel"]} ins(%A : tensor<4x8xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// CHECK: error: linalg-to-te: linalg.generic folds values of types (f32, f32) into outputs of (f32); a fold combines each output with one value of its type
func.func @fused(%A: tensor<4x8xf32>, %B: tensor<4x8xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#all, #all, #rows], iterator_types = ["parallel", "reduction"]} ins(%A, %B : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %new = math.fma %a, %b, %x : f32
    linalg.yield %new : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// CHECK: error: linalg-to-te: linalg.exp reads elements that nothing has written
func.func @unwritten(%s: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%e : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// CHECK: error: linalg-to-te: returns a value of type index beside tensors
func.func @counted(%s: tensor<4xf32>, %n: index) -> (tensor<4xf32>, index) {
  %r = linalg.exp ins(%s : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  func.return %r, %n : tensor<4xf32>, index
}

// -----

// CHECK: error: linalg-to-te: tensor.expand_shape stands beside structured ops; linalg-to-te knows structured ops of linalg
func.func @expanded(%A: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<2x2xf32> {
  %r = linalg.exp ins(%A : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  %t = tensor.expand_shape %r [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  func.return %t : tensor<2x2xf32>
}

// -----

// CHECK: error: linalg-to-te: memref<4xf32, affine_map<(d0) -> ((d0 + 1))>> has no strides; legal is a layout strided<[...], offset: ?>
func.func @mapped(%A: memref<4xf32, affine_map<(d0) -> (d0 + 1)>>, %B: memref<4xf32>) {
  linalg.exp ins(%A : memref<4xf32, affine_map<(d0) -> (d0 + 1)>>) outs(%B : memref<4xf32>)
  func.return
}

// -----

// CHECK: error: linalg-to-te: memref<4xf32, strided<[1], offset: 8>> has an offset; an array begins with its first element: write ?
func.func @behind(%A: memref<4xf32, strided<[1], offset: 8>>, %B: memref<4xf32>) {
  linalg.exp ins(%A : memref<4xf32, strided<[1], offset: 8>>) outs(%B : memref<4xf32>)
  func.return
}

// -----

// CHECK: error: linalg-to-te: an extent must be computed from sizes and extents, by affine arithmetic
func.func @odd(%A: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %m = arith.muli %n, %n : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %x = arith.constant 1.0 : f32
  %r = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// CHECK: error: linalg-to-te: vector.reduction computes an element; linalg-to-te knows arith, math, linalg.index and tensor.extract there
func.func @lanes(%A: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%A : tensor<4xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%a: f32, %x: f32):
    %v = vector.broadcast %a : f32 to vector<4xf32>
    %w = vector.reduction <add>, %v : vector<4xf32> into f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// -----

// CHECK: error: linalg-to-te: linalg.fill writes f32 to elements of type f64; it converts nothing, ops of arith do
func.func @wider(%e: tensor<4xf64>) -> tensor<4xf64> {
  %x = arith.constant 3.0 : f32
  %r = linalg.fill ins(%x : f32) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  func.return %r : tensor<4xf64>
}

// -----

// CHECK: error: linalg-to-te: linalg.copy writes i32 to elements of type i8; it converts nothing, ops of arith do
func.func @narrower(%A: memref<4xi32>, %B: memref<4xi8>) {
  linalg.copy ins(%A : memref<4xi32>) outs(%B : memref<4xi8>)
  func.return
}
