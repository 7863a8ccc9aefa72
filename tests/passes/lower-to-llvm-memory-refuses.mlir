// RUN: not teloom-opt %s -p lower-to-llvm --split-input-file 2>&1 | filecheck %s

// CHECK: 5:8: error: lower-to-llvm: alignment 8589934592 of memref.alloca is no power of two up to 4294967296
func.func @far() {
  %A = memref.alloca() {alignment = 8589934592 : i64} : memref<8xf32>
  func.return
}

// -----

// CHECK: error: lower-to-llvm: alignment 3 of memref.load is no power of two up to 4294967296
func.func @odd(%A: memref<8xf32>, %i: index) {
  %x = memref.load %A[%i] {alignment = 3 : i64} : memref<8xf32>
  memref.store %x, %A[%i] : memref<8xf32>
  func.return
}

// -----

// CHECK: error: lower-to-llvm: memref.alloca of memref<4611686018427387904xf32> has more bytes than an address
func.func @long() {
  %A = memref.alloca() : memref<4611686018427387904xf32>
  func.return
}

// -----

// CHECK: 30:8: error: lower-to-llvm: elements of type i0 have no size in memory
func.func @nothing(%n: index) {
  %A = memref.alloc(%n) : memref<?xi0>
  memref.dealloc %A : memref<?xi0>
  func.return
}
