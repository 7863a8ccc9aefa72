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
