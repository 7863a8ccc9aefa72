// RUN: teloom-opt %s --split-input-file -p 'double-buffer{split_loop=true}' | filecheck %s

// Two iterations at a time know which copy is which: no remainder is left. What is left of four - 1
// iterations stands behind the loop.
func.func @pairs(%A: memref<32xf32>, %C: memref<32xf32>) {
  loop.for %i = 0 to 4 {
    %b = memref.alloca() {loop.double_buffered} : memref<8xf32>
    loop.for %j = 0 to 8 {
      %from = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %j)
      %a = memref.load %A[%from] : memref<32xf32>
      memref.store %a, %b[%j] : memref<8xf32>
    }
    loop.for %k = 0 to 8 {
      %v = memref.load %b[%k] : memref<8xf32>
      %to = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%i, %k)
      memref.store %v, %C[%to] : memref<32xf32>
    }
  }
  func.return
}

// CHECK-LABEL: func.func @pairs
// CHECK-NOT:     mod 2
// CHECK:         loop.for %i = 0 to 1 {
// CHECK-NEXT:      affine.apply affine_map<(d0) -> (((d0 * 2) + 1))> (%i)
// CHECK:           memref.store
// CHECK-NEXT:    }
// CHECK-NOT:     mod 2
// CHECK:         func.return

// -----

// Of a symbolic extent, an iteration is left if the loop runs an odd number of times.
func.func @symbolic(%n: index, %A: memref<?xf32>, %C: memref<?xf32>) {
  loop.for %i = 0 to %n {
    %zero = arith.constant 0 : index
    %b = memref.alloca() {loop.double_buffered} : memref<1xf32>
    %a = memref.load %A[%i] : memref<?xf32>
    memref.store %a, %b[%zero] : memref<1xf32>
    %v = memref.load %b[%zero] : memref<1xf32>
    memref.store %v, %C[%i] : memref<?xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @symbolic
// CHECK:         loop.if (%n - 1 >= 0) {
// CHECK:           loop.for %i = 0 to %n ceildiv 2 - 1 {
// CHECK:           loop.if ((%n + 1) mod 2 - 1 == 0) {
