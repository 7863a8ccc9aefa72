// RUN: teloom-opt %s --split-input-file -p partition-loops --cpu x86-64-v3 | filecheck %s
// RUN: teloom-opt %s --split-input-file -p partition-loops --cpu x86-64-v4 | filecheck %s --check-prefix MASKED

// Of 7 lanes that are left, a vector of 4, one of 2 and one of 1 would be more than a whole one that
// begins earlier. Under a mask they are one vector, too.
// CHECK-LABEL: func.func @seven
// MASKED-LABEL: func.func @seven
func.func @seven(%A: memref<1150xf32>, %B: memref<1150xf32>) {
  %a = loop.bind %A [0 : 50, 0 : 23] : memref<1150xf32>
  %b = loop.bind %B [0 : 50, 0 : 23] : memref<1150xf32>
  // CHECK:      loop.for %jo = 0 to 3 {
  // CHECK-NEXT:   %begin = affine.min affine_map<(d0) -> ((d0 * 8), 15)> (%jo)
  // CHECK-NEXT:   loop.for %ji = %begin - %jo * 8 to %begin - %jo * 8 + 8 vectorized {
  // CHECK-NOT:  loop.for
  // MASKED:     %begin = affine.min
  loop.for %i = 0 to 50 {
    loop.for %jo = 0 to 3 {
      loop.for %ji = 0 to min(8, 23 - %jo * 8) vectorized {
        %x = loop.load %a[%i, %jo * 8 + %ji] : f32
        loop.store %x, %b[%i, %jo * 8 + %ji] : f32
      }
    }
  }
  func.return
}

// -----

// Four of 16 are a shorter vector, and less than two whole ones.
// CHECK-LABEL: func.func @four
func.func @four(%A: memref<1000xf32>, %B: memref<1000xf32>) {
  %a = loop.bind %A [0 : 50, 0 : 20] : memref<1000xf32>
  %b = loop.bind %B [0 : 50, 0 : 20] : memref<1000xf32>
  // CHECK-NOT:  %begin
  // CHECK:      loop.for %{{.*}} = 0 to 16 vectorized {
  // CHECK:      loop.for %{{.*}} = 0 to 4 vectorized {
  loop.for %i = 0 to 50 {
    loop.for %jo = 0 to 2 {
      loop.for %ji = 0 to min(16, 20 - %jo * 16) vectorized {
        %x = loop.load %a[%i, %jo * 16 + %ji] : f32
        loop.store %x, %b[%i, %jo * 16 + %ji] : f32
      }
    }
  }
  func.return
}

// -----

// Where the call knows the end, there may be no whole tile. Then the only one is under a mask.
// CHECK-LABEL: func.func @sizes
func.func @sizes(%m: index, %n: index, %A: memref<?xf32>, %B: memref<?xf32>) {
  %a = loop.bind %A [0 : %m, 0 : %n] : memref<?xf32>
  %b = loop.bind %B [0 : %m, 0 : %n] : memref<?xf32>
  // CHECK:      loop.for %i = 0 to %m {
  // CHECK-NEXT:   loop.if (%n - 8 >= 0) {
  // CHECK-NEXT:     loop.for %jo = 0 to %n ceildiv 8 {
  // CHECK-NEXT:       %begin = affine.min affine_map<(d0, d1) -> ((d0 * 8), (d1 + -8))> (%jo, %n)
  // CHECK-NEXT:       loop.for %ji = %begin - %jo * 8 to %begin - %jo * 8 + 8 vectorized {
  // CHECK-NOT:          scf.if
  // CHECK:        } else {
  // CHECK-NEXT:     loop.for %jo_1 = 0 to %n ceildiv 8 {
  // CHECK-NEXT:       loop.for %ji_1 = 0 to 8 vectorized {
  // CHECK:              scf.if
  loop.for %i = 0 to %m {
    loop.for %jo = 0 to %n ceildiv 8 {
      loop.for %ji = 0 to min(8, %n - %jo * 8) vectorized {
        %x = loop.load %a[%i, %jo * 8 + %ji] : f32
        loop.store %x, %b[%i, %jo * 8 + %ji] : f32
      }
    }
  }
  func.return
}

// -----

// What is added, or read and written, must not be done twice; lanes that are apart, streams and
// tiles on threads are left alone, and so is what runs once.
// CHECK-LABEL: func.func @others
// CHECK-NOT:   %begin
// CHECK:       func.return
func.func @others(%A: memref<1150xf32>, %B: memref<1150xf32>, %C: memref<23xf32>) {
  %a = loop.bind %A [0 : 50, 0 : 23] : memref<1150xf32>
  %b = loop.bind %B [0 : 23, 0 : 50] : memref<1150xf32>
  %c = loop.bind %C [0 : 23] : memref<23xf32>
  loop.for %i = 0 to 50 {
    loop.for %jo = 0 to 3 {
      loop.for %ji = 0 to min(8, 23 - %jo * 8) vectorized {
        %x = loop.load %a[%i, %jo * 8 + %ji] : f32
        loop.reduce %x into %c[%jo * 8 + %ji] : f32 combine (%u, %v) {
          %s = arith.addf %u, %v : f32
          loop.yield %s : f32
        }
      }
    }
    loop.for %jo = 0 to 3 {
      loop.for %ji = 0 to min(8, 23 - %jo * 8) vectorized {
        %x = loop.load %a[%i, %jo * 8 + %ji] : f32
        %y = arith.addf %x, %x : f32
        loop.store %y, %a[%i, %jo * 8 + %ji] : f32
      }
    }
    loop.for %jo = 0 to 3 {
      loop.for %ji = 0 to min(8, 23 - %jo * 8) vectorized {
        %x = loop.load %a[%i, %jo * 8 + %ji] : f32
        loop.store %x, %b[%jo * 8 + %ji, %i] : f32
      }
    }
    loop.for %jo = 0 to 3 {
      loop.for %ji = 0 to min(8, 23 - %jo * 8) vectorized {
        %x = loop.load %c[%jo * 8 + %ji] : f32
        loop.store %x, %a[%i, %jo * 8 + %ji] : f32 streamed
      }
    }
    loop.for %jo = 0 to 3 parallel {
      loop.for %ji = 0 to min(8, 23 - %jo * 8) vectorized {
        %x = loop.load %c[%jo * 8 + %ji] : f32
        loop.store %x, %a[%i, %jo * 8 + %ji] : f32
      }
    }
  }
  loop.for %jo = 0 to 3 {
    loop.for %ji = 0 to min(8, 23 - %jo * 8) vectorized {
      %x = loop.load %a[0, %jo * 8 + %ji] : f32
      loop.store %x, %c[%jo * 8 + %ji] : f32
    }
  }
  func.return
}

// -----

// The iterations of a loop whose counter nothing uses are counted, so there must be no more.
// CHECK-LABEL: func.func @counted
// CHECK-NOT:   %begin
// CHECK:       func.return
func.func @counted(%B: memref<1150xf32>) {
  %b = loop.bind %B [0 : 50, 0 : 23] : memref<1150xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  loop.for %i = 0 to 50 {
    loop.for %jo = 0 to 3 {
      %n = loop.realize "n" [0 : 1] : !loop.tensor<1, f32>
      loop.init %zero, %n[0] : f32
      loop.for %k = 0 to min(8, 23 - %jo * 8) vectorized {
        loop.reduce %one into %n[0] : f32 combine (%u, %v) {
          %s = arith.addf %u, %v : f32
          loop.yield %s : f32
        }
      }
      loop.for %ji = 0 to min(8, 23 - %jo * 8) vectorized {
        %x = loop.load %n[0] : f32
        loop.store %x, %b[%i, %jo * 8 + %ji] : f32
      }
    }
  }
  func.return
}

// -----

// There is no tile before the only one.
// CHECK-LABEL: func.func @short
// CHECK-NOT:   %begin
// CHECK:       func.return
func.func @short(%A: memref<150xf32>, %B: memref<150xf32>) {
  %a = loop.bind %A [0 : 50, 0 : 3] : memref<150xf32>
  %b = loop.bind %B [0 : 50, 0 : 3] : memref<150xf32>
  loop.for %i = 0 to 50 {
    loop.for %jo = 0 to 1 {
      loop.for %ji = 0 to min(8, 3 - %jo * 8) vectorized {
        %x = loop.load %a[%i, %jo * 8 + %ji] : f32
        loop.store %x, %b[%i, %jo * 8 + %ji] : f32
      }
    }
  }
  func.return
}
