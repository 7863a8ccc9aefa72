// RUN: teloom-opt %s --split-input-file -p unroll-loops | filecheck %s

// Rows of a tile in a small buffer: unrolled, it is registers. So is the loop behind it, which counts
// the same rows. The loop around is short then.
// CHECK-LABEL: @tile
func.func @tile(%n: index, %A: memref<?xf32>, %C: memref<64xf32>) {
  %sums = memref.alloca() : memref<64xf32>
  // CHECK:      loop.for %k = 0 to %n attributes {
  // CHECK-SAME:   unroll = <count = 4 : i32>
  // CHECK-NEXT:   loop.for %i = 0 to 4 attributes {
  // CHECK-SAME:     unroll = <disable = false, full = true>
  loop.for %k = 0 to %n {
    loop.for %i = 0 to 4 {
      %at = affine.apply affine_map<(i) -> (i * 16)> (%i)
      %row = vector.load %A[%k] : memref<?xf32>, vector<16xf32>
      %old = vector.load %sums[%at] : memref<64xf32>, vector<16xf32>
      %new = arith.addf %old, %row : vector<16xf32>
      vector.store %new, %sums[%at] : memref<64xf32>, vector<16xf32>
    }
  }
  // CHECK:      loop.for %i_1 = 0 to 4 attributes {
  // CHECK-SAME:   unroll = <disable = false, full = true>
  loop.for %i = 0 to 4 {
    %at = affine.apply affine_map<(i) -> (i * 16)> (%i)
    %sum = vector.load %sums[%at] : memref<64xf32>, vector<16xf32>
    vector.store %sum, %C[%at] : memref<64xf32>, vector<16xf32>
  }
  func.return
}

// -----

// Four copies of a short body of vectors, as many as there are iterations of others; none of what
// is long, or stores scalars, which LLVM sees to.
// CHECK-LABEL: @short
func.func @short(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) {
  // CHECK:      loop.for %i = 0 to %n attributes {
  // CHECK-SAME:   unroll = <count = 4 : i32>
  loop.for %i = 0 to %n {
    %at = affine.apply affine_map<(i) -> (i * 16)> (%i)
    %v = vector.load %A[%at] : memref<?xf32>, vector<16xf32>
    vector.store %v, %B[%at] : memref<?xf32>, vector<16xf32>
  }
  // CHECK:      loop.for %i_1 = 0 to 3 attributes {
  // CHECK-SAME:   unroll = <count = 2 : i32>
  loop.for %i = 0 to 3 {
    %at = affine.apply affine_map<(i) -> (i * 16)> (%i)
    %v = vector.load %A[%at] : memref<?xf32>, vector<16xf32>
    vector.store %v, %B[%at] : memref<?xf32>, vector<16xf32>
  }
  // CHECK:      loop.for %i_2 = 0 to %n {
  loop.for %i = 0 to %n {
    // CHECK-NEXT: loop.for %j = 0 to 64 attributes
    // CHECK-SAME:   full = true
    loop.for %j = 0 to 64 unrolled {
      %at = affine.apply affine_map<(i, j) -> (i * 1024 + j * 16)> (%i, %j)
      %v = vector.load %A[%at] : memref<?xf32>, vector<16xf32>
      vector.store %v, %B[%at] : memref<?xf32>, vector<16xf32>
    }
  }
  // CHECK:      loop.for %i_3 = 0 to %n {
  loop.for %i = 0 to %n {
    %v = memref.load %A[%i] : memref<?xf32>
    memref.store %v, %B[%i] : memref<?xf32>
  }
  func.return
}

// There are no more copies than iterations, for all that is known of an extent. Of scalar iterations
// that never fill a vector LLVM makes none.
// CHECK-LABEL: @few
func.func @few(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) {
  // CHECK:      loop.for %i = %n floordiv 64 * 4 to %n floordiv 16 attributes {
  // CHECK-SAME:   unroll = <count = 2 : i32>
  loop.for %i = %n floordiv 64 * 4 to %n floordiv 16 {
    %at = affine.apply affine_map<(i) -> (i * 16)> (%i)
    %v = vector.load %A[%at] : memref<?xf32>, vector<16xf32>
    vector.store %v, %B[%at] : memref<?xf32>, vector<16xf32>
  }
  // CHECK:      loop.for %i_1 = %n floordiv 16 * 16 to %n attributes {
  // CHECK-SAME:   vectorize = <disable = true>
  loop.for %i = %n floordiv 16 * 16 to %n {
    %v = memref.load %A[%i] : memref<?xf32>
    memref.store %v, %B[%i] : memref<?xf32>
  }
  // CHECK:      loop.for %i_2 = %n floordiv 32 * 32 to %n {
  loop.for %i = %n floordiv 32 * 32 to %n {
    %v = memref.load %A[%i] : memref<?xf32>
    memref.store %v, %B[%i] : memref<?xf32>
  }
  func.return
}

// What threads share is in memory: the loop over its elements is not unrolled, nor what runs them.
// CHECK-LABEL: func.func @shared
// CHECK:         loop.for %i = 0 to 8 {
// CHECK:         loop.for %i_1 = 0 to 8 {
func.func @shared(%m: index, %A: memref<?xf32>, %x: f32) {
  %rows = memref.alloca() : memref<8xf32>
  loop.for %i = 0 to 8 {
    memref.store %x, %rows[%i] : memref<8xf32>
  }
  loop.for %i = 0 to 8 {
    loop.for %j = 0 to %m parallel {
      %y = memref.load %rows[%i] : memref<8xf32>
      memref.store %y, %A[%j] : memref<?xf32>
    }
  }
  func.return
}
