// RUN: teloom-opt %s -p align-accesses | filecheck %s
// RUN: teloom-opt %s -p align-accesses,lower-loops,lower-scf,lower-to-llvm | filecheck %s --check-prefix=LLVM

// Eight integers that are only read and written as one vector of eight.
// CHECK-LABEL: @eight
// LLVM-LABEL: @eight
func.func @eight(%x: vector<8xi32>) {
  %zero = arith.constant 0 : index
  %a = memref.alloca() {alignment = 64 : i64} : memref<8xi32>
  // CHECK: vector.store %x, %a[%zero] {alignment = 64 : i64}
  // LLVM: llvm.store {{.*}} {alignment = 64 : i64} : vector<8xi32>
  vector.store %x, %a[%zero] : memref<8xi32>, vector<8xi32>
  // CHECK: vector.load %a[%zero] {alignment = 64 : i64}
  // LLVM: llvm.load {{.*}} {alignment = 64 : i64} : !llvm.ptr -> vector<8xi32>
  %v = vector.load %a[%zero] : memref<8xi32>, vector<8xi32>
  vector.store %v, %a[%zero] : memref<8xi32>, vector<8xi32>
  func.return
}

// The boundary is what divides every part of the index, and the buffer's own.
// CHECK-LABEL: @parts
func.func @parts(%n: index, %x: vector<4xf32>) {
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  loop.for %i = 0 to %n {
    // CHECK: %[[A:.*]] = affine.apply
    // CHECK-NEXT: vector.store %x, %a[%[[A]]] {alignment = 16 : i64}
    %0 = affine.apply affine_map<(d0, d1) -> (d0 * 100 + d1 * 8 + 12)> (%i, %n)
    vector.store %x, %a[%0] : memref<?xf32>, vector<4xf32>
    // CHECK: vector.store %x, %a[%{{.*}}] {alignment = 64 : i64}
    %1 = affine.apply affine_map<(d0) -> (d0 * 32)> (%i)
    vector.store %x, %a[%1] : memref<?xf32>, vector<4xf32>
    // CHECK: vector.store %x, %a[%{{.*}}] {alignment = 8 : i64}
    %2 = affine.apply affine_map<(d0) -> ((d0 floordiv 3) * 8 + 6)> (%i)
    vector.store %x, %a[%2] : memref<?xf32>, vector<4xf32>
    // CHECK: vector.store %x, %a[%{{.*}}] {alignment = 32 : i64}
    %rows = arith.muli %n, %1 : index
    %eight = arith.constant 8 : index
    %3 = arith.addi %rows, %eight : index
    vector.store %x, %a[%3] : memref<?xf32>, vector<4xf32>
  }
  memref.dealloc %a : memref<?xf32>
  func.return
}

// A view begins where its bytes do.
// CHECK-LABEL: @views
func.func @views(%n: index, %x: vector<4xf32>) {
  %zero = arith.constant 0 : index
  %near = arith.constant 96 : index
  %bytes = memref.alloc() {alignment = 128 : i64} : memref<512xi8>
  %p = memref.view %bytes[%zero][] : memref<512xi8> to memref<16xf32>
  %q = memref.view %bytes[%near][] : memref<512xi8> to memref<16xf32>
  %r = memref.view %bytes[%n][] : memref<512xi8> to memref<16xf32>
  // CHECK: vector.store %x, %p[%zero] {alignment = 128 : i64}
  vector.store %x, %p[%zero] : memref<16xf32>, vector<4xf32>
  // CHECK: vector.store %x, %q[%zero] {alignment = 32 : i64}
  vector.store %x, %q[%zero] : memref<16xf32>, vector<4xf32>
  // CHECK: vector.store %x, %r[%zero] : memref<16xf32>
  vector.store %x, %r[%zero] : memref<16xf32>, vector<4xf32>
  memref.dealloc %bytes : memref<512xi8>
  func.return
}

// Nothing is known of arguments, of a buffer that says nothing, of odd positions and of those
// from memory. What an access says itself stays.
// CHECK-LABEL: @nothing
func.func @nothing(%A: memref<64xf32>, %at: memref<1xindex>, %i: index, %x: vector<4xf32>) {
  %zero = arith.constant 0 : index
  %a = memref.alloca() {alignment = 64 : i64} : memref<64xf32>
  %b = memref.alloca() : memref<64xf32>
  // CHECK: vector.store %x, %A[%zero] : memref
  vector.store %x, %A[%zero] : memref<64xf32>, vector<4xf32>
  // CHECK: vector.store %x, %b[%zero] : memref
  vector.store %x, %b[%zero] : memref<64xf32>, vector<4xf32>
  // CHECK: vector.store %x, %a[%{{.*}}] : memref
  %odd = affine.apply affine_map<(d0) -> (d0 * 4 + 1)> (%i)
  vector.store %x, %a[%odd] : memref<64xf32>, vector<4xf32>
  // CHECK: vector.store %x, %a[%{{.*}}] : memref
  %there = memref.load %at[%zero] : memref<1xindex>
  vector.store %x, %a[%there] : memref<64xf32>, vector<4xf32>
  // CHECK: vector.store %x, %a[%zero] {alignment = 8 : i64}
  vector.store %x, %a[%zero] {alignment = 8 : i64} : memref<64xf32>, vector<4xf32>
  func.return
}

// The memory of the caller begins where the argument says.
// CHECK-LABEL: @argument
func.func @argument(%A: memref<64xi32>, %x: vector<8xi32>) attributes {te.signature = {arrays = [{name = "A", dtype = "int32", alignment = 128 : i64}]}} {
  loop.for %i = 0 to 2 {
    // CHECK: vector.store %x, %A[%{{.*}}] {alignment = 128 : i64}
    %0 = affine.apply affine_map<(d0) -> (d0 * 32)> (%i)
    vector.store %x, %A[%0] : memref<64xi32>, vector<8xi32>
  }
  func.return
}
