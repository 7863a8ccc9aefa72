// RUN: teloom-opt %s -p flatten-functions | filecheck %s

// Open extents and strides are sizes; dimensions are these sizes; what is only read is marked.
// CHECK-LABEL: func.func @views(%A.d0: index, %A.stride0: index, %A: memref<?xf32> {llvm.readonly}, %B: memref<12xf32>)
// CHECK-SAME: {name = "A", dtype = "float32", shape = affine_map<()[s0, s1] -> (s0, 4)>, strides = affine_map<()[s0, s1] -> (s1, 1)>}
// CHECK: memref.reinterpret_cast %B to offset: [0], sizes: [3, 4], strides: [4, 1] : memref<12xf32> to memref<3x4xf32>
// CHECK: memref.reinterpret_cast %A to offset: [%{{.*}}], sizes: [%A.d0, 4], strides: [%A.stride0, 1]
// CHECK: scf.for %i = %c0 to %A.d0 step
func.func @views(%A: memref<?x4xf32, strided<[?, 1], offset: ?>>, %B: memref<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x4xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %A[%i, %c0] : memref<?x4xf32, strided<[?, 1], offset: ?>>
    memref.store %x, %B[%c0, %c1] : memref<3x4xf32>
  }
  func.return
}

// Numbers and results are buffers of one element; the call keeps its order.
// CHECK-LABEL: func.func @numbers(%i: index, %x: memref<1xi32> {llvm.readonly}, %result0: memref<1xi32>, %result1: memref<1xf64>)
// CHECK-SAME: order = array<i64: 1, 0, 2, 3>
// CHECK: memref.load %x[%{{.*}}] : memref<1xi32>
// CHECK: memref.store %{{.*}}, %result0[%{{.*}}] : memref<1xi32>
// CHECK: memref.store %{{.*}}, %result1[%{{.*}}] : memref<1xf64>
// CHECK-NEXT: func.return
func.func @numbers(%x: i32, %i: index) -> (i32, f64) {
  %y = arith.sitofp %x : i32 to f64
  func.return %x, %y : i32, f64
}

// An allocation that is viewed is flat; a copy is loops.
// CHECK-LABEL: func.func @copies
// CHECK: %[[N:.*]] = loop.element_count [%n, 4]
// CHECK: %[[M:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK: memref.reinterpret_cast %[[M]] to offset: [0], sizes: [%n, 4], strides: [4, 1]
// CHECK: loop.for %{{.*}} = 0 to %{{.*}} {
// CHECK-NEXT: loop.for %{{.*}} = 0 to 4 {
// CHECK: memref.dealloc %[[M]] : memref<?xf32>
func.func @copies(%n: index, %A: memref<?x4xf32>) {
  %t = memref.alloc(%n) : memref<?x4xf32>
  memref.copy %A, %t : memref<?x4xf32> to memref<?x4xf32>
  memref.dealloc %t : memref<?x4xf32>
  func.return
}

// What has our interface stays, as does what another function calls.
// CHECK-LABEL: func.func @ours(%n: index, %A: memref<?xf32>) {
func.func @ours(%n: index, %A: memref<?xf32>) {
  %x = func.call @called(%n) : (index) -> f32
  memref.store %x, %A[%n] : memref<?xf32>
  func.return
}
// CHECK: func.func private @called(%n: index) -> f32
func.func private @called(%n: index) -> f32 {
  %x = arith.constant 0.0 : f32
  func.return %x : f32
}
