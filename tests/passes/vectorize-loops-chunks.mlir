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

// One vector is no loop; what is left of a known extent is done in shorter vectors.
// CHECK-LABEL: func.func @rest
func.func @rest(%A: memref<?xf32>, %x: f32) {
  // CHECK-NOT: loop.for
  // CHECK: vector.store {{.*}} vector<16xf32>
  // CHECK: vector.store {{.*}} vector<4xf32>
  // CHECK: loop.for %i = 24 to 25 {
  // CHECK-NEXT: memref.store
  loop.for %i = 4 to 25 vectorized {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// What is left of an unknown extent is done one by one; so is nothing, if the loop
// ends before it begins.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%n: index, %A: memref<?xf32>, %x: f32) {
  // CHECK: loop.for %i = 0 to %n ceildiv 16 - 1 {
  // CHECK: vector.store
  // CHECK: loop.for %i_1 = max(%n ceildiv 16 * 16 - 15, 1) to %n {
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
  // CHECK: loop.for %i_1 = max(%[[COUNT]] * 8, 0) to min(%n, %m) {
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
    // CHECK: loop.for %j_1 = max(%i floordiv 4 mod 2 * 4, 0) to %i mod 8 {
    // CHECK-NEXT: memref.store
    loop.for %j = 0 to %i mod 8 vectorized {
      memref.store %x, %A[%j] : memref<?xf64>
    }
  }
  func.return
}
