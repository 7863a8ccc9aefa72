// RUN: teloom-opt %s --verify-diagnostics -p stream-stores
// RUN: teloom-opt %s -p stream-stores | filecheck %s
// RUN: teloom-opt %s -p stream-stores,lower-loops,lower-scf,lower-to-llvm | filecheck %s --check-prefix=LLVM

// The buffer begins on a boundary, and so does each vector: there is one version. Other threads
// see what is behind the function after its streamed stores.
// CHECK-LABEL: func.func @always
// LLVM-LABEL: llvm.func @always
func.func @always(%x: vector<8xf32>, %B: memref<64xf32>) {
  %A = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  // CHECK: loop.for
  // CHECK-NOT: scf.if
  loop.for %i = 0 to 8 {
    %0 = affine.apply affine_map<(d0) -> (d0 * 8)> (%i)
    // CHECK: vector.store %x, %A[%{{.*}}] {alignment = 32 : i64, nontemporal = true}
    // LLVM: llvm.store {{.*}} {alignment = 32 : i64, nontemporal}
    vector.store %x, %A[%0] {nontemporal = true} : memref<64xf32>, vector<8xf32>
  }
  memref.dealloc %A : memref<64xf32>
  // LLVM: llvm.fence seq_cst
  // LLVM-NEXT: llvm.return
  func.return
}

// Rows begin on a boundary if their size is a multiple of eight elements, too. Stores of single
// elements are never streamed.
// CHECK-LABEL: func.func @rows
func.func @rows(%n: index, %A: memref<?xf32>, %v: vector<8xf32>, %x: f32) {
  // CHECK:      %[[P:.*]] = memref.extract_aligned_pointer_as_index %A
  // CHECK:      arith.remui %[[P]], %{{.*}} : index
  // CHECK:      %[[ROW:.*]] = arith.muli %{{.*}}, %n : index
  // CHECK-NEXT: arith.constant 32 : index
  // CHECK-NEXT: arith.remui %[[ROW]], %{{.*}} : index
  // CHECK:      %[[BOTH:.*]] = arith.andi
  // CHECK-NEXT: scf.if %[[BOTH]] {
  // CHECK:        vector.store {{.*}} {alignment = 32 : i64, nontemporal = true}
  // CHECK:        memref.store %x, %A[%{{.*}}] : memref<?xf32>
  // CHECK:      } else {
  // CHECK-NOT:    nontemporal
  // CHECK:      func.return
  loop.for %i = 0 to %n {
    loop.for %j = 0 to %n floordiv 8 {
      %0 = affine.apply affine_map<(d0) -> (d0 * 8)> (%j)
      %1 = arith.muli %i, %n : index
      %2 = arith.addi %0, %1 : index
      vector.store %v, %A[%2] {nontemporal = true} : memref<?xf32>, vector<8xf32>
      memref.store %x, %A[%2] {nontemporal = true} : memref<?xf32>
    }
  }
  func.return
}

// No vector of every second row of seven elements begins on a boundary.
// CHECK-LABEL: func.func @never
// CHECK-NOT: nontemporal = true
func.func @never(%A: memref<64xf32>, %x: vector<8xf32>, %y: f32) {
  loop.for %i = 0 to 8 {
    %0 = affine.apply affine_map<(d0) -> (d0 * 7)> (%i)
    // expected-remark@below {{no store is streamed: its vectors do not begin at multiples of 32 bytes}}
    vector.store %x, %A[%0] {nontemporal = true} : memref<64xf32>, vector<8xf32>
  }
  loop.for %i = 0 to 8 {
    // expected-remark@below {{no store is streamed: its elements are stored one by one; vectorize an axis whose elements are adjacent}}
    memref.store %y, %A[%i] {nontemporal = true} : memref<64xf32>
  }
  func.return
}

// The rest of a row is not streamed by itself: it shares its line with what is not streamed.
// CHECK-LABEL: func.func @rest_of_rows
func.func @rest_of_rows(%A: memref<4320xf32>, %x: vector<8xf32>, %y: vector<4xf32>) {
  // CHECK:      loop.for %i = 0 to 60 {
  // CHECK:        vector.store %x, %A[%{{.*}}] {alignment = 32 : i64, nontemporal = true}
  // CHECK:        vector.store %y, %A[%{{.*}}] : memref<4320xf32>, vector<4xf32>
  loop.for %i = 0 to 60 {
    loop.for %j = 0 to 8 {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 * 72 + d1 * 8)> (%i, %j)
      vector.store %x, %A[%0] {nontemporal = true} : memref<4320xf32>, vector<8xf32>
    }
    %1 = affine.apply affine_map<(d0) -> (d0 * 72 + 64)> (%i)
    vector.store %y, %A[%1] {nontemporal = true} : memref<4320xf32>, vector<4xf32>
  }
  func.return
}

// Rows of 603 elements begin anywhere. From a line of the cache on, and up to one, they are
// streamed; vectors that begin at no multiple write what is left.
// CHECK-LABEL: func.func @anywhere
func.func @anywhere(%A: memref<6030xf32>, %x: vector<8xf32>) {
  // CHECK:      loop.for %i = 0 to 10 {
  // CHECK:        memref.extract_aligned_pointer_as_index
  // CHECK:        loop.for %j_1 = %j to %j + %{{.*}} {
  // CHECK:          vector.store %x, %A[%{{.*}}] {alignment = 32 : i64, nontemporal = true}
  // CHECK:        loop.for %j_2 = 0 to %{{.*}} {
  // CHECK:          vector.store %x, %A[%{{.*}}] : memref<6030xf32>, vector<8xf32>
  loop.for %i = 0 to 10 {
    loop.for %j = 0 to 75 {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 * 603 + d1 * 8)> (%i, %j)
      vector.store %x, %A[%0] {nontemporal = true} : memref<6030xf32>, vector<8xf32>
    }
  }
  func.return
}

// What is read and written is not computed twice, nor what depends on the iteration.
// CHECK-LABEL: func.func @once
// CHECK-NOT: nontemporal = true
func.func @once(%A: memref<6030xf32>, %B: memref<6030xf32>) {
  loop.for %i = 0 to 10 {
    loop.for %j = 0 to 75 {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 * 603 + d1 * 8)> (%i, %j)
      %a = vector.load %A[%0] : memref<6030xf32>, vector<8xf32>
      %b = arith.addf %a, %a : vector<8xf32>
      // expected-remark@below {{no store is streamed: its vectors do not begin at multiples of 32 bytes}}
      vector.store %b, %A[%0] {nontemporal = true} : memref<6030xf32>, vector<8xf32>
    }
  }
  loop.for %i = 0 to 10 {
    loop.for %j = 0 to 75 {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 * 603 + d1 * 8)> (%i, %j)
      %1 = arith.index_cast %j : index to i32
      %x = vector.broadcast %1 : i32 to vector<8xi32>
      %y = arith.sitofp %x : vector<8xi32> to vector<8xf32>
      // expected-remark@below {{no store is streamed}}
      vector.store %y, %B[%0] {nontemporal = true} : memref<6030xf32>, vector<8xf32>
    }
  }
  func.return
}
