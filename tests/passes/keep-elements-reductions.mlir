// RUN: teloom-opt %s --split-input-file -p keep-elements | filecheck %s

// A tile of sums whose rows are %m elements apart, which LLVM does not know: they fold into a
// region of the tile, with the start value from the tensor.
// CHECK-LABEL: @rows_anywhere
func.func @rows_anywhere(%m: index, %A: memref<?xf32>, %C: memref<?xf32>) {
  %a = loop.bind %A [0 : 64] : memref<?xf32>
  %c = loop.bind %C [0 : 4, 0 : %m] : memref<?xf32>
  loop.for %j = 0 to %m floordiv 8 {
    // CHECK:      %[[KEPT:.*]] = loop.realize "c.kept" [0 : 4, 0 : 8] : !loop.tensor<2, f32>
    // CHECK-NEXT: loop.for %[[I:.*]] = 0 to 4 unrolled {
    // CHECK-NEXT:   loop.for %[[L:.*]] = 0 to 8 vectorized {
    // CHECK-NEXT:     %[[V:.*]] = loop.load %c[%[[I]], %j * 8 + %[[L]]] : f32
    // CHECK-NEXT:     loop.store %[[V]], %[[KEPT]][%[[I]], %[[L]]] : f32
    // CHECK:      loop.for %k = 0 to 64 {
    // CHECK:          loop.reduce %{{.*}} into %[[KEPT]][%{{.*}}, %{{.*}}] : f32
    loop.for %k = 0 to 64 {
      loop.for %i = 0 to 4 unrolled {
        loop.for %l = 0 to 8 vectorized {
          %v = loop.load %a[%k] : f32
          loop.reduce %v into %c[%i, %j * 8 + %l] : f32 combine (%x, %y) {
            %s = arith.addf %x, %y : f32
            loop.yield %s : f32
          }
        }
      }
    }
    // CHECK:      loop.store %{{.*}}, %c[%{{.*}}, %j * 8 + %{{.*}}] : f32
  }
  func.return
}

// -----

// Rows of 64 elements, or a single one, or strides that are numbers: LLVM sees that the elements
// are apart.
// CHECK-LABEL: @known_rows
// CHECK-NOT:   kept
func.func @known_rows(%m: index, %A: memref<?xf32>, %C: memref<256xf32>, %D: memref<?xf32>) {
  %a = loop.bind %A [0 : 64] : memref<?xf32>
  %c = loop.bind %C [0 : 4, 0 : 64] : memref<256xf32>
  %d = loop.bind %D [0 : %m] : memref<?xf32>
  loop.for %k = 0 to 64 {
    loop.for %i = 0 to 4 unrolled {
      loop.for %l = 0 to 8 vectorized {
        %v = loop.load %a[%k] : f32
        loop.reduce %v into %c[%i, %l] : f32 combine (%x, %y) {
          %s = arith.addf %x, %y : f32
          loop.yield %s : f32
        }
      }
    }
  }
  loop.for %k = 0 to 64 {
    loop.for %l = 0 to 8 vectorized {
      %v = loop.load %a[%k] : f32
      loop.reduce %v into %d[%l] : f32 combine (%x, %y) {
        %s = arith.addf %x, %y : f32
        loop.yield %s : f32
      }
    }
  }
  func.return
}

// -----

// The sums read what another row of the tile has become.
// CHECK-LABEL: @read_by_others
// CHECK-NOT:   kept
func.func @read_by_others(%m: index, %C: memref<?xf32>) {
  %c = loop.bind %C [0 : 4, 0 : %m] : memref<?xf32>
  loop.for %k = 0 to 64 {
    loop.for %i = 0 to 4 unrolled {
      loop.for %l = 0 to 8 vectorized {
        %v = loop.load %c[0, %l] : f32
        loop.reduce %v into %c[%i, %l] : f32 combine (%x, %y) {
          %s = arith.addf %x, %y : f32
          loop.yield %s : f32
        }
      }
    }
  }
  func.return
}

// -----

// The sums of a last tile are in a branch by themselves: in the region of the tile they are made of
// all lanes, and what is beyond the end is not copied.
// CHECK-LABEL: @last_tile
func.func @last_tile(%n: index, %A: memref<?xf32>, %C: memref<64xf32>) {
  %a = loop.bind %A [0 : 64] : memref<?xf32>
  %c = loop.bind %C [0 : 64] : memref<64xf32>
  // CHECK:      loop.for %[[L:.*]] = 0 to 8 vectorized {
  // CHECK-NEXT:   %[[IN:.*]] = arith.cmpi slt, %[[L]], %n : index
  // CHECK-NEXT:   %[[V:.*]] = scf.if %[[IN]] -> (f32) {
  // CHECK-NEXT:     loop.load %c[%[[L]]] : f32
  // CHECK:        } else {
  // CHECK-NEXT:     arith.constant 0.000000e+00 : f32
  // CHECK:        loop.store %[[V]], %c_kept[%[[L]]] : f32
  // CHECK:      loop.for %k = 0 to 64 {
  loop.for %k = 0 to 64 {
    loop.for %l = 0 to 8 vectorized {
      %is_in = arith.cmpi slt, %l, %n : index
      %v = loop.load %a[%k] : f32
      // CHECK:      %[[NEW:.*]] = loop.load %a[%k] : f32
      // CHECK-NEXT: loop.reduce %[[NEW]] into %c_kept
      scf.if %is_in {
        loop.reduce %v into %c[%l] : f32 combine (%x, %y) {
          %s = arith.addf %x, %y : f32
          loop.yield %s : f32
        }
      }
    }
  }
  // CHECK:      %[[SUM:.*]] = loop.load %c_kept
  // CHECK-NEXT: scf.if %{{.*}} {
  // CHECK-NEXT:   loop.store %[[SUM]], %c[
  func.return
}

// -----

// Whether an element is there is another question in each iteration of the sum.
// CHECK-LABEL: @part_of_the_terms
// CHECK-NOT:   kept
func.func @part_of_the_terms(%n: index, %A: memref<?xf32>, %C: memref<64xf32>) {
  %a = loop.bind %A [0 : 64] : memref<?xf32>
  %c = loop.bind %C [0 : 64] : memref<64xf32>
  loop.for %k = 0 to 64 {
    loop.for %l = 0 to 8 vectorized {
      %is_in = arith.cmpi slt, %l, %k : index
      %v = loop.load %a[%k] : f32
      scf.if %is_in {
        loop.reduce %v into %c[%l] : f32 combine (%x, %y) {
          %s = arith.addf %x, %y : f32
          loop.yield %s : f32
        }
      }
    }
  }
  func.return
}
