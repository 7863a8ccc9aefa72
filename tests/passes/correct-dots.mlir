// RUN: teloom-opt %s -p correct-dots --cpu znver4 | filecheck %s
// RUN: teloom-opt %s -p correct-dots --cpu skylake-avx512 | filecheck %s --check-prefix OTHER

// No target without the instruction is asked for other signs.
// OTHER-NOT: xori

// A tile of a product of matrices, four rows of two vectors. What rows read has its first bit
// flipped; what is too much then follows from the panel, for all tiles of rows at once.
// CHECK-LABEL: func.func @tile
func.func @tile(%A: memref<?xi8>, %B: memref<1024xi8>, %C: memref<?xi32>, %n: index) {
  // CHECK: %correction = memref.alloca() {{.*}} : memref<32xi32>
  // CHECK: loop.for %j = 0 to 2 unrolled {
  // CHECK:   vector.store %{{.*}}, %correction
  // CHECK: loop.for %k = 0 to 8 {
  // CHECK-NEXT: loop.for %j_1 = 0 to 2 unrolled {
  // CHECK:   %[[B:.*]] = vector.load %B
  // CHECK:   %[[ALL:.*]] = arith.constant dense<-128> : vector<64xi8>
  // CHECK:   %[[OLD:.*]] = vector.load %correction
  // CHECK:   %[[NEW:.*]] = loop.dot unsigned %[[ALL]], %[[B]] into %[[OLD]]
  // CHECK:   vector.store %[[NEW]], %correction
  // CHECK: loop.for %t = 0 to 5 {
  loop.for %t = 0 to 5 {
    %tile = memref.alloca() : memref<128xi32>
    // CHECK: vector.store %{{.*}}, %tile
    %zero = arith.constant dense<0> : vector<16xi32>
    loop.for %i = 0 to 4 unrolled {
      loop.for %j = 0 to 2 unrolled {
        %at = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 16)> (%i, %j)
        vector.store %zero, %tile[%at] : memref<128xi32>, vector<16xi32>
      }
    }
    // CHECK: loop.for %i_1 = 0 to 4 unrolled {
    // CHECK-NEXT: loop.for %j_3 = 0 to 2 unrolled {
    // CHECK: %[[TOO:.*]] = vector.load %correction
    // CHECK: %[[IS:.*]] = vector.load %tile
    // CHECK: arith.subi %[[IS]], %[[TOO]]
    // CHECK: loop.for %k_1 = 0 to 8 {
    loop.for %k = 0 to 8 {
      loop.for %i = 0 to 4 unrolled {
        %ak = affine.apply affine_map<(d0, d1, d2) -> (d0 * 128 + d1 * 32 + d2 * 4)> (%t, %i, %k)
        // CHECK: %[[A:.*]] = vector.load %A
        %a = vector.load %A[%ak] : memref<?xi8>, vector<4xi8>
        loop.for %j = 0 to 2 unrolled {
          %bk = affine.apply affine_map<(d0, d1) -> (d0 * 128 + d1 * 64)> (%k, %j)
          %b = vector.load %B[%bk] : memref<1024xi8>, vector<64xi8>
          %at = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1 * 16)> (%i, %j)
          %s = vector.load %tile[%at] : memref<128xi32>, vector<16xi32>
          // CHECK: %[[EACH:.*]] = vector.shuffle %[[A]], %[[A]]
          // CHECK: %[[FLIPPED:.*]] = arith.xori %[[EACH]]
          // CHECK: loop.dot unsigned %[[FLIPPED]], %{{.*}} into
          %each = vector.shuffle %a, %a [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3] : vector<4xi8>, vector<4xi8>
          %d = loop.dot %each, %b into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
          vector.store %d, %tile[%at] : memref<128xi32>, vector<16xi32>
        }
      }
    }
    loop.for %i = 0 to 8 {
      %at = affine.apply affine_map<(d0) -> (d0 * 16)> (%i)
      %s = vector.load %tile[%at] : memref<128xi32>, vector<16xi32>
      %to = affine.apply affine_map<(d0, d1) -> (d0 * 128 + d1 * 16)> (%t, %i)
      vector.store %s, %C[%to] : memref<?xi32>, vector<16xi32>
    }
  }
  func.return
}

// Of two factors without signs, the one is made signed that fewer vectors are of. The correction
// stays in the loop that writes what it is computed from, and in one without iterations.
// CHECK-LABEL: func.func @written
func.func @written(%A: memref<256xi8>, %b: memref<64xi8>, %x: vector<64xi8>, %n: index) {
  // CHECK: loop.for %t = 0 to 5 {
  // CHECK: vector.store %x, %b
  // CHECK: %correction = memref.alloca() {{.*}} : memref<16xi32>
  loop.for %t = 0 to 5 {
    %zero = arith.constant 0 : index
    vector.store %x, %b[%zero] : memref<64xi8>, vector<64xi8>
    %tile = memref.alloca() : memref<64xi32>
    // CHECK: loop.for %k = 0 to %n {
    // CHECK: loop.dot unsigned %{{.*}}, %{{.*}} into
    // CHECK: loop.for %k_1 = 0 to %n {
    // CHECK: %[[B:.*]] = vector.load %b
    // CHECK: %[[A:.*]] = vector.load %A
    // CHECK: %[[SIGNED:.*]] = arith.xori %[[A]]
    // CHECK: loop.dot unsigned %[[B]], %[[SIGNED]] into
    loop.for %k = 0 to %n {
      %b0 = vector.load %b[%zero] : memref<64xi8>, vector<64xi8>
      loop.for %i = 0 to 4 unrolled {
        %ai = affine.apply affine_map<(d0) -> (d0 * 64)> (%i)
        %a = vector.load %A[%ai] : memref<256xi8>, vector<64xi8>
        %at = affine.apply affine_map<(d0) -> (d0 * 16)> (%i)
        %s = vector.load %tile[%at] : memref<64xi32>, vector<16xi32>
        %d = loop.dot unsigned %a, unsigned %b0 into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
        vector.store %d, %tile[%at] : memref<64xi32>, vector<16xi32>
      }
    }
  }
  func.return
}

// A factor that is stored here, for such sums alone, is flipped where it is stored, and where zeros
// round it up.
// CHECK-LABEL: func.func @packed
// CHECK:         %p = memref.alloc()
// CHECK:         loop.for %c = 0 to 48 {
// CHECK:           %[[V:.*]] = memref.load %A
// CHECK:           %[[F:.*]] = arith.xori %[[V]], %{{.*}} : i8
// CHECK:           memref.store %[[F]], %p
// CHECK:         %[[ZEROS:.*]] = arith.xori %zeros, %{{.*}} : vector<16xi8>
// CHECK:         vector.store %[[ZEROS]], %p
// CHECK:         loop.dot unsigned
// CHECK-NOT:     xori
// CHECK:         memref.dealloc %p
func.func @packed(%A: memref<48xi8>, %B: memref<256xi8>, %C: memref<64xi32>) {
  %p = memref.alloc() : memref<64xi8>
  loop.for %c = 0 to 48 {
    %v = memref.load %A[%c] : memref<48xi8>
    memref.store %v, %p[%c] : memref<64xi8>
  }
  %end = arith.constant 48 : index
  %zeros = arith.constant dense<0> : vector<16xi8>
  vector.store %zeros, %p[%end] : memref<64xi8>, vector<16xi8>
  %tile = memref.alloca() : memref<64xi32>
  loop.for %k = 0 to 4 {
    %bk = affine.apply affine_map<(d0) -> (d0 * 64)> (%k)
    %b = vector.load %B[%bk] : memref<256xi8>, vector<64xi8>
    loop.for %i = 0 to 4 unrolled {
      %ak = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1 * 4)> (%i, %k)
      %a = vector.load %p[%ak] : memref<64xi8>, vector<4xi8>
      %each = vector.shuffle %a, %a [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3] : vector<4xi8>, vector<4xi8>
      %at = affine.apply affine_map<(d0) -> (d0 * 16)> (%i)
      %s = vector.load %tile[%at] : memref<64xi32>, vector<16xi32>
      %d = loop.dot %each, %b into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
      vector.store %d, %tile[%at] : memref<64xi32>, vector<16xi32>
    }
  }
  memref.dealloc %p : memref<64xi8>
  loop.for %i = 0 to 4 {
    %at = affine.apply affine_map<(d0) -> (d0 * 16)> (%i)
    %s = vector.load %tile[%at] : memref<64xi32>, vector<16xi32>
    vector.store %s, %C[%at] : memref<64xi32>, vector<16xi32>
  }
  func.return
}

// Memory that is written by another name stays where it is read, too.
// CHECK-LABEL: func.func @viewed
// CHECK: loop.for %o = 0 to 2 {
// CHECK: vector.store %x, %view
// CHECK: %correction = memref.alloca()
func.func @viewed(%A: memref<256xi8>, %x: vector<64xi8>) {
  %zero = arith.constant 0 : index
  %b = memref.alloca() : memref<64xi8>
  %view = memref.view %b[%zero][] : memref<64xi8> to memref<64xi8>
  loop.for %o = 0 to 2 {
    vector.store %x, %view[%zero] : memref<64xi8>, vector<64xi8>
    %tile = memref.alloca() : memref<64xi32>
    loop.for %k = 0 to 4 {
      %b0 = vector.load %b[%zero] : memref<64xi8>, vector<64xi8>
      loop.for %i = 0 to 4 unrolled {
        %ai = affine.apply affine_map<(d0) -> (d0 * 64)> (%i)
        %a = vector.load %A[%ai] : memref<256xi8>, vector<64xi8>
        %at = affine.apply affine_map<(d0) -> (d0 * 16)> (%i)
        %s = vector.load %tile[%at] : memref<64xi32>, vector<16xi32>
        %d = loop.dot %a, %b0 into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
        vector.store %d, %tile[%at] : memref<64xi32>, vector<16xi32>
      }
    }
  }
  func.return
}

// These stay: sums that each have a correction of their own, a tile of unknown size, sums that are
// read in the loops, loops that do more, what is stored where arguments are, two neighbours a
// lane, a place that is a product.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: xori
func.func @stays(%A: memref<256xi8>, %B: memref<256xi8>, %C: memref<64xi32>, %n: index) {
  %tile = memref.alloca() : memref<64xi32>
  loop.for %k = 0 to 4 {
    loop.for %i = 0 to 4 unrolled {
      %ai = affine.apply affine_map<(d0) -> (d0 * 64)> (%i)
      %a = vector.load %A[%ai] : memref<256xi8>, vector<64xi8>
      %b = vector.load %B[%ai] : memref<256xi8>, vector<64xi8>
      %at = affine.apply affine_map<(d0) -> (d0 * 16)> (%i)
      %s = vector.load %tile[%at] : memref<64xi32>, vector<16xi32>
      %d = loop.dot %a, %b into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
      vector.store %d, %tile[%at] : memref<64xi32>, vector<16xi32>
    }
  }
  loop.for %k = 0 to 4 {
    %zero = arith.constant 0 : index
    %b = vector.load %B[%zero] : memref<256xi8>, vector<64xi8>
    loop.for %i = 0 to min(4, %n) {
      %ai = affine.apply affine_map<(d0) -> (d0 * 64)> (%i)
      %a = vector.load %A[%ai] : memref<256xi8>, vector<64xi8>
      %at = affine.apply affine_map<(d0) -> (d0 * 16)> (%i)
      %s = vector.load %tile[%at] : memref<64xi32>, vector<16xi32>
      %d = loop.dot %a, %b into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
      vector.store %d, %tile[%at] : memref<64xi32>, vector<16xi32>
    }
  }
  loop.for %k = 0 to 4 {
    %zero = arith.constant 0 : index
    %b = vector.load %B[%zero] : memref<256xi8>, vector<64xi8>
    loop.for %i = 0 to 4 {
      %ai = affine.apply affine_map<(d0) -> (d0 * 64)> (%i)
      %a = vector.load %A[%ai] : memref<256xi8>, vector<64xi8>
      %at = affine.apply affine_map<(d0) -> (d0 * 16)> (%i)
      %s = vector.load %tile[%at] : memref<64xi32>, vector<16xi32>
      %d = loop.dot %a, %b into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
      vector.store %d, %tile[%at] : memref<64xi32>, vector<16xi32>
      vector.store %d, %C[%at] : memref<64xi32>, vector<16xi32>
    }
  }
  loop.for %k = 0 to 4 {
    %zero = arith.constant 0 : index
    %b = vector.load %B[%zero] : memref<256xi8>, vector<64xi8>
    loop.for %i = 0 to 4 {
      %ai = affine.apply affine_map<(d0) -> (d0 * 64)> (%i)
      %a = vector.load %A[%ai] : memref<256xi8>, vector<64xi8>
      %at = affine.apply affine_map<(d0) -> (d0 * 16)> (%i)
      %s = vector.load %C[%at] : memref<64xi32>, vector<16xi32>
      %d = loop.dot %a, %b into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
      vector.store %d, %C[%at] : memref<64xi32>, vector<16xi32>
    }
  }
  loop.for %k = 0 to 4 {
    %zero = arith.constant 0 : index
    %b = vector.load %B[%zero] : memref<256xi8>, vector<32xi8>
    loop.for %i = 0 to 4 {
      %ai = affine.apply affine_map<(d0) -> (d0 * 32)> (%i)
      %a = vector.load %A[%ai] : memref<256xi8>, vector<32xi8>
      %at = affine.apply affine_map<(d0) -> (d0 * 16)> (%i)
      %s = vector.load %tile[%at] : memref<64xi32>, vector<16xi32>
      %d = loop.dot %a, %b into %s : vector<32xi8>, vector<32xi8>, vector<16xi32>
      vector.store %d, %tile[%at] : memref<64xi32>, vector<16xi32>
    }
  }
  loop.for %q = 0 to 4 {
    %qn = arith.muli %q, %n : index
    loop.for %k = 0 to 4 {
      %zero = arith.constant 0 : index
      %b = vector.load %B[%zero] : memref<256xi8>, vector<64xi8>
      loop.for %i = 0 to 4 {
        %ai = affine.apply affine_map<(d0) -> (d0 * 64)> (%i)
        %a = vector.load %A[%ai] : memref<256xi8>, vector<64xi8>
        %at = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)> (%i, %qn)
        %s = vector.load %tile[%at] : memref<64xi32>, vector<16xi32>
        %d = loop.dot %a, %b into %s : vector<64xi8>, vector<64xi8>, vector<16xi32>
        vector.store %d, %tile[%at] : memref<64xi32>, vector<16xi32>
      }
    }
  }
  func.return
}
