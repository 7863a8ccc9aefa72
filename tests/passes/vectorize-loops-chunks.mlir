// RUN: teloom-opt %s -p 'vectorize-loops' | filecheck %s
// RUN: teloom-opt %s -p 'vectorize-loops{bytes=32}' | filecheck %s --check-prefix=NARROW

// Few vectors are an unrolled loop, and nothing is left over.
// CHECK-LABEL: func.func @whole
// NARROW-LABEL: func.func @whole
func.func @whole(%A: memref<64xf32>, %x: f32) {
  // CHECK: loop.for %i = 0 to 4 unrolled {
  // CHECK: vector.store {{.*}} vector<16xf32>
  // CHECK-NOT: memref.store
  // NARROW: loop.for %i = 0 to 8 unrolled {
  // NARROW: vector.store {{.*}} vector<8xf32>
  loop.for %i = 0 to 64 vectorized {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  func.return
}

// One vector is no loop. What is left of a known extent, if it is several shorter vectors, is a whole
// one that begins earlier.
// CHECK-LABEL: func.func @rest
func.func @rest(%A: memref<?xf32>, %x: f32) {
  // CHECK-NOT: loop.for
  // CHECK: %[[FIRST:.*]] = arith.constant 4 : index
  // CHECK: vector.store {{.*}}, %A[%[[FIRST]]] : memref<?xf32>, vector<16xf32>
  // CHECK: %[[LAST:.*]] = arith.constant 9 : index
  // CHECK: vector.store {{.*}}, %A[%[[LAST]]] : memref<?xf32>, vector<16xf32>
  // CHECK-NOT: store
  loop.for %i = 4 to 25 vectorized {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// What must not be done twice is done in shorter vectors: what reads elements that it stores, or adds
// to one, or streams. So is what is one short vector.
// CHECK-LABEL: func.func @once
func.func @once(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  // CHECK: vector.store {{.*}} vector<16xf32>
  // CHECK: vector.store {{.*}} vector<4xf32>
  // CHECK: memref.store
  loop.for %i = 0 to 21 vectorized {
    %a = memref.load %A[%i] : memref<64xf32>
    %b = arith.addf %a, %x : f32
    memref.store %b, %A[%i] : memref<64xf32>
  }
  // CHECK: vector.store {{.*}} {nontemporal = true} : {{.*}} vector<16xf32>
  // CHECK: vector.store {{.*}} {nontemporal = true} : {{.*}} vector<4xf32>
  loop.for %i = 0 to 21 vectorized {
    memref.store %x, %A[%i] {nontemporal = true} : memref<64xf32>
  }
  // CHECK: vector.store {{.*}} vector<16xf32>
  // CHECK: vector.store {{.*}} vector<4xf32>
  // CHECK-NOT: store
  loop.for %i = 0 to 20 vectorized {
    memref.store %x, %B[%i] : memref<64xf32>
  }
  func.return
}

// In a loop, it is the call that knows whether there is a vector in front of what is left.
// CHECK-LABEL: func.func @rows
func.func @rows(%n: index, %A: memref<?xf32>, %x: f32) {
  // CHECK:      loop.if (%n - 16 >= 0, %n mod 16 - 1 >= 0) {
  // CHECK:        vector.store {{.*}} vector<16xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   loop.for %{{.*}} = max(%n floordiv 16 * 16, 0) to %n attributes
  // CHECK-NEXT:     affine.apply
  // CHECK-NEXT:     memref.store
  loop.for %j = 0 to %n {
    loop.for %i = 0 to %n vectorized {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 100 + d1)> (%j, %i)
      memref.store %x, %A[%at] : memref<?xf32>
    }
  }
  func.return
}

// A loop of at most one vector has none in front.
// CHECK-LABEL: func.func @short_rows
// CHECK-NOT: loop.if
// CHECK:     func.return
func.func @short_rows(%n: index, %A: memref<?xf32>, %x: f32) {
  loop.for %j = 0 to %n {
    loop.for %i = 0 to min(16, %n) vectorized {
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 100 + d1)> (%j, %i)
      memref.store %x, %A[%at] : memref<?xf32>
    }
  }
  func.return
}

// What is left of an unknown extent is done one by one, without vectors of LLVM's; so is nothing, if
// the loop ends before it begins.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%n: index, %A: memref<?xf32>, %x: f32) {
  // CHECK: loop.for %i = 0 to %n ceildiv 16 - 1 {
  // CHECK: vector.store
  // CHECK: loop.for %i_1 = max(%n ceildiv 16 * 16 - 15, 1) to %n attributes {
  // CHECK-SAME: vectorize = <disable = true>
  // CHECK-NEXT: memref.store
  loop.for %i = 1 to %n vectorized {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// A symbolic extent that vectors divide leaves nothing.
// CHECK-LABEL: func.func @multiple
func.func @multiple(%n: index, %A: memref<?xf32>, %x: f32) {
  // CHECK: loop.for %i = 0 to %n * 2 {
  // CHECK: vector.store
  // CHECK-NOT: memref.store
  // CHECK: func.return
  loop.for %i = %n to %n * 33 vectorized {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// Of several bounds the least counts.
// CHECK-LABEL: func.func @several
func.func @several(%n: index, %m: index, %A: memref<?xf64>, %x: f64) {
  // CHECK-NEXT: %[[COUNT:.*]] = affine.min {{.*}} (%n, %m)
  // CHECK-NEXT: loop.for %i = 0 to %[[COUNT]] {
  // CHECK: vector.store {{.*}} vector<8xf64>
  // CHECK: loop.for %i_1 = max(%[[COUNT]] * 8, 0) to min(%n, %m) attributes {
  loop.for %i = 0 to min(%n, %m) vectorized {
    memref.store %x, %A[%i] : memref<?xf64>
  }
  func.return
}

// The widest type in the body says how many lanes there are.
// CHECK-LABEL: func.func @widest
func.func @widest(%A: memref<64xi8>, %B: memref<64xi32>) {
  // CHECK: loop.for %i = 0 to 4 unrolled {
  // CHECK: vector.load {{.*}} vector<16xi8>
  loop.for %i = 0 to 64 vectorized {
    %a = memref.load %A[%i] : memref<64xi8>
    %b = arith.extui %a : i8 to i32
    memref.store %b, %B[%i] : memref<64xi32>
  }
  func.return
}

// Where lanes are apart, LLVM makes no vectors of what is left.
// CHECK-LABEL: func.func @apart
func.func @apart(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) {
  // CHECK: loop.for %i = 0 to %n floordiv 16 {
  // CHECK: vector.store
  // CHECK: loop.for %i_1 = max(%n floordiv 16 * 16, 0) to %n attributes {llvm.loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>>} {
  // CHECK-NEXT: arith.muli
  loop.for %i = 0 to %n vectorized {
    %j = arith.muli %i, %n : index
    %x = memref.load %A[%j] : memref<?xf32>
    memref.store %x, %B[%i] : memref<?xf32>
  }
  func.return
}

// There are never so many iterations as a vector of 8 has lanes: one of 4 is filled at times.
// CHECK-LABEL: func.func @fewer_than_lanes
func.func @fewer_than_lanes(%A: memref<?xf64>, %x: f64) {
  loop.for %i = 0 to 70 {
    // CHECK: loop.for %j = 0 to %i floordiv 4 mod 2 {
    // CHECK: vector.store {{.*}} vector<4xf64>
    // CHECK: loop.for %j_1 = max(%i floordiv 4 mod 2 * 4, 0) to %i mod 8 attributes
    // CHECK-NEXT: memref.store
    loop.for %j = 0 to %i mod 8 vectorized {
      memref.store %x, %A[%j] : memref<?xf64>
    }
  }
  func.return
}
