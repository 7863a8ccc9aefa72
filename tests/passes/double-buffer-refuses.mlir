// RUN: not teloom-opt %s --split-input-file -p double-buffer 2>&1 | filecheck %s

// What the iteration writes must not be what the next one's copy is computed from.
// CHECK: error: double-buffer: cannot double-buffer: what is computed an iteration ahead and the rest of the iteration both use A, and one of them writes it: A[1] at i = 0 and at i = 1
func.func @needs_the_last(%A: memref<32xf32>) {
  loop.for %i = 0 to 4 {
    %zero = arith.constant 0 : index
    %b = memref.alloca() {loop.double_buffered} : memref<1xf32>
    %a = memref.load %A[%i] : memref<32xf32>
    memref.store %a, %b[%zero] : memref<1xf32>
    %v = memref.load %b[%zero] : memref<1xf32>
    %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    memref.store %v, %A[%next] : memref<32xf32>
  }
  func.return
}

// -----

// Nor what the same iteration writes in front of it.
// CHECK: error: double-buffer: cannot double-buffer: what is computed an iteration ahead and the rest of the iteration both use A, and one of them writes it: A[0] at i = 0 and at i = 0
func.func @needs_what_is_there(%A: memref<32xf32>, %x: f32) {
  loop.for %i = 0 to 4 {
    %zero = arith.constant 0 : index
    %b = memref.alloca() {loop.double_buffered} : memref<1xf32>
    memref.store %x, %A[%i] : memref<32xf32>
    %a = memref.load %A[%i] : memref<32xf32>
    memref.store %a, %b[%zero] : memref<1xf32>
    %v = memref.load %b[%zero] : memref<1xf32>
    memref.store %v, %A[%i] : memref<32xf32>
  }
  func.return
}

// -----

// A buffer of one copy that both sides use cannot be computed ahead.
// CHECK: error: double-buffer: cannot compute an iteration ahead what is computed from t: the loop uses t for other things, too; double-buffer t as well
func.func @shared(%A: memref<32xf32>, %C: memref<32xf32>) {
  loop.for %i = 0 to 4 {
    %zero = arith.constant 0 : index
    %t = memref.alloca() : memref<1xf32>
    %b = memref.alloca() {loop.double_buffered} : memref<1xf32>
    %a = memref.load %A[%i] : memref<32xf32>
    memref.store %a, %t[%zero] : memref<1xf32>
    %u = memref.load %t[%zero] : memref<1xf32>
    memref.store %u, %b[%zero] : memref<1xf32>
    %v = memref.load %b[%zero] : memref<1xf32>
    %w = memref.load %t[%zero] : memref<1xf32>
    %x = arith.addf %v, %w : f32
    memref.store %x, %C[%i] : memref<32xf32>
  }
  func.return
}

// -----

// CHECK: error: double-buffer: cannot double-buffer b: it is used before all of it is computed
func.func @between(%A: memref<32xf32>, %C: memref<32xf32>) {
  loop.for %i = 0 to 4 {
    %zero = arith.constant 0 : index
    %b = memref.alloca() {loop.double_buffered} : memref<1xf32>
    %a = memref.load %A[%i] : memref<32xf32>
    memref.store %a, %b[%zero] : memref<1xf32>
    %v = memref.load %b[%zero] : memref<1xf32>
    memref.store %v, %C[%i] : memref<32xf32>
    memref.store %a, %b[%zero] : memref<1xf32>
  }
  func.return
}

// -----

// CHECK: error: double-buffer: cannot double-buffer b: its size is another in each iteration
func.func @grows(%A: memref<32xf32>, %C: memref<32xf32>) {
  loop.for %i = 0 to 4 {
    %b = memref.alloc(%i) {loop.double_buffered} : memref<?xf32>
    %a = memref.load %A[%i] : memref<32xf32>
    memref.store %a, %b[%i] : memref<?xf32>
    %v = memref.load %b[%i] : memref<?xf32>
    memref.store %v, %C[%i] : memref<32xf32>
    memref.dealloc %b : memref<?xf32>
  }
  func.return
}

// -----

// CHECK: error: double-buffer: test.op stands in a loop with a stage that is computed ahead; the pass double-buffer knows memref.load, memref.store, loops, branches and ops that only compute
func.func @unknown(%C: memref<32xf32>) {
  loop.for %i = 0 to 4 {
    %b = memref.alloc() {loop.double_buffered} : memref<4xf32>
    "test.op"(%b) : (memref<4xf32>) -> ()
    memref.dealloc %b : memref<4xf32>
  }
  func.return
}

// -----

// Of more than two copies, the iterations that are computed ahead are counted.
// CHECK: error: double-buffer: cannot ring-buffer: what is computed 2 iterations ahead and the rest of the iteration both use A, and one of them writes it: A[3] at i = 1 and at i = 3
func.func @needs_the_one_before(%A: memref<32xf32>) {
  loop.for %i = 0 to 4 {
    %zero = arith.constant 0 : index
    %b = memref.alloca() {loop.double_buffered = 3 : i64} : memref<1xf32>
    %a = memref.load %A[%i] : memref<32xf32>
    memref.store %a, %b[%zero] : memref<1xf32>
    %v = memref.load %b[%zero] : memref<1xf32>
    %later = affine.apply affine_map<(d0) -> (d0 + 2)> (%i)
    memref.store %v, %A[%later] : memref<32xf32>
  }
  func.return
}
