// RUN: teloom-opt %s -p linalg-to-te | filecheck %s
// RUN: teloom-opt %s -p from-mlir | filecheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>

// Open extents become sizes, one for axes that a loop says are equal; what the sum starts from is
// an argument, so the fold has an init.
// CHECK-LABEL: te.func @product(%a.d0: index, %a.d1: index, %b.d1: index,
// CHECK-SAME: %a: tensor<?x?xf32>[%a.d0, %a.d1], %b: tensor<?x?xf32>[%a.d1, %b.d1], %c: tensor<?x?xf32>[%a.d0, %b.d1])
// CHECK-NEXT: %r = te.compute "r" (%d0 = %a.d0, %d1 = %b.d1) reduce (%d2 = %a.d1)
// CHECK: identity [0.000000e+00 : f32]
// CHECK: } init (%d0_1, %d1_1) {
// CHECK-NEXT: te.read %c[%d0_1, %d1_1]
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  func.return %r : tensor<?x?xf32>
}

// A buffer that is overwritten is a result in its place; one that is added to is an argument, too.
// CHECK-LABEL: te.func @buffers(%A: tensor<4xf32>, %C: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) order [0, 2, 1, 3]
// CHECK: %B = te.compute "B" (%d0 = 4)
// CHECK: math.exp
// CHECK: %C_1 = te.compute "C" (%d0_1 = 4)
// CHECK-DAG: te.read %C[%d0_1]
// CHECK-DAG: te.read %B[%d0_1]
// CHECK: te.return %B, %C_1 : tensor<4xf32>, tensor<4xf32>
func.func @buffers(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4xf32>) {
  linalg.exp ins(%A : memref<4xf32>) outs(%B : memref<4xf32>)
  linalg.add ins(%C, %B : memref<4xf32>, memref<4xf32>) outs(%C : memref<4xf32>)
  func.return
}

// Scalars are tensors of no axes, positions are axes, and elements at positions that are computed
// are reads. New memory has the extents that its operands say.
// CHECK-LABEL: te.func @generic
// CHECK-SAME: %x: tensor<f32>
// CHECK: te.compute "r" (%d0 = %A.d0, %d1 = 8)
// CHECK: %[[I:.*]] = te.read %at[%d0] : i32
// CHECK: %[[J:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK: %[[A:.*]] = te.read %A[%[[J]], %d1] : f32
// CHECK: %[[X:.*]] = te.read %x[] : f32
// CHECK: arith.mulf %[[A]], %[[X]]
func.func @generic(%A: tensor<?x8xf32>, %at: tensor<?xi32>, %x: f32) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<?xi32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%i: i32, %old: f32):
    %row = arith.index_cast %i : i32 to index
    %column = linalg.index 1 : index
    %a = tensor.extract %A[%row, %column] : tensor<?x8xf32>
    %b = arith.mulf %a, %x : f32
    linalg.yield %b : f32
  } -> tensor<?x8xf32>
  func.return %r : tensor<?x8xf32>
}

// A fold that is no single op has no identity: it starts from what the outputs held. One that
// starts from the neutral element has no init.
// CHECK-LABEL: te.func @folds
// CHECK: te.compute "least"
// CHECK: identity [0x7f800000 : f32] {
// CHECK-NEXT: arith.minimumf
// CHECK-NEXT: te.yield
// CHECK-NEXT: }
// CHECK-NEXT: te.compute "last"
// CHECK: combine (%{{.*}}: f32, %{{.*}}: f32) {
// CHECK: arith.select
// CHECK: } init (%{{.*}}) {
func.func @folds(%A: tensor<4x8xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %inf = arith.constant 0x7F800000 : f32
  %filled = linalg.fill ins(%inf : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  %least = linalg.reduce { arith.minimumf } ins(%A : tensor<4x8xf32>) outs(%filled : tensor<4xf32>) dimensions = [1]
  %last = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]} ins(%A : tensor<4x8xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%a: f32, %x: f32):
    %above = arith.cmpf ogt, %a, %x : f32
    %new = arith.select %above, %a, %x : f32
    linalg.yield %new : f32
  } -> tensor<4xf32>
  func.return %least, %last : tensor<4xf32>, tensor<4xf32>
}

// What is returned twice, or is an argument, is copied.
// CHECK-LABEL: te.func @twice(%A: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
// CHECK: %t = te.compute "t" (%d0 = 3, %d1 = 2)
// CHECK: te.read %A[%d1, %d0]
// CHECK: te.compute "copy"
func.func @twice(%A: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%A : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  func.return %t, %t : tensor<3x2xf32>, tensor<3x2xf32>
}

// Strides of a buffer are those of the caller's array.
// CHECK-LABEL: te.func @strided(%A.stride0: index, %A: tensor<4x8xf32> strides [%A.stride0, 1]) -> (tensor<4x8xf32> strides [16, 2])
func.func @strided(%A: memref<4x8xf32, strided<[?, 1], offset: ?>>, %B: memref<4x8xf32, strided<[16, 2]>>) {
  linalg.exp ins(%A : memref<4x8xf32, strided<[?, 1], offset: ?>>) outs(%B : memref<4x8xf32, strided<[16, 2]>>)
  func.return
}

// A tensor that is filled stays what it was.
// CHECK-LABEL: te.func @filled(%A: tensor<4xf32>)
// CHECK: %filled = te.compute "filled"
// CHECK-NEXT: arith.constant 1.000000e+00 : f32
// CHECK: %copy = te.compute "copy"
// CHECK-NEXT: te.read %A[{{.*}}] : f32
// CHECK: te.return %filled, %copy
func.func @filled(%A: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %x = arith.constant 1.0 : f32
  %r = linalg.fill ins(%x : f32) outs(%A : tensor<4xf32>) -> tensor<4xf32>
  func.return %r, %A : tensor<4xf32>, tensor<4xf32>
}
