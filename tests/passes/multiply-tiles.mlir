// RUN: teloom-opt %s -p multiply-tiles --cpu sapphirerapids | filecheck %s
// RUN: teloom-opt %s -p multiply-tiles --cpu znver4 | filecheck %s --check-prefix WITHOUT

// WITHOUT-NOT: amx

// Zeros in front are a tile of zeros, and the sums are stored behind the last loop that adds to them.
// CHECK-LABEL: func.func @in_a_loop_around
func.func @in_a_loop_around(%A: memref<?xi8>, %B: memref<?xi8>, %C: memref<512xi32>) {
  // CHECK-NOT: loop.for
  // CHECK: %[[Z:.*]] = amx.tile_zero : !amx.tile<16x16xi32>
  // CHECK-NEXT: %[[Y:.*]] = amx.tile_zero : !amx.tile<4x16xi32>
  loop.for %i = 0 to 20 unrolled {
    loop.for %j = 0 to 16 vectorized {
      %zero = arith.constant 0 : i32
      %at = affine.apply affine_map<(i, j) -> (i * 16 + j)> (%i, %j)
      memref.store %zero, %C[%at] : memref<512xi32>
    }
  }
  // CHECK: scf.for %o = {{.*}} iter_args(%[[S:.*]] = %[[Z]], %[[T:.*]] = %[[Y]])
  // CHECK: scf.for %step = {{.*}} iter_args(%[[U:.*]] = %[[S]], %[[V:.*]] = %[[T]])
  loop.for %o = 0 to 3 {
    loop.for %g = 0 to 32 {
      loop.for %i = 0 to 20 unrolled {
        loop.for %j = 0 to 16 vectorized {
          loop.for %k = 0 to 4 {
            // CHECK: %[[B:.*]] = amx.tile_load %B[%{{.*}}], %{{.*}} : memref<?xi8> into !amx.tile<16x64xi8>
            // CHECK: %[[A:.*]] = amx.tile_load %A[%{{.*}}], %{{.*}} : memref<?xi8> into !amx.tile<16x64xi8>
            %0 = affine.apply affine_map<(o, g, i, k) -> (o * 128 + i * 384 + g * 4 + k)> (%o, %g, %i, %k)
            %a = memref.load %A[%0] : memref<?xi8>
            %1 = affine.apply affine_map<(o, g, j, k) -> (o * 2048 + g * 64 + j * 4 + k)> (%o, %g, %j, %k)
            %b = memref.load %B[%1] : memref<?xi8>
            %x = arith.extsi %a : i8 to i32
            %y = arith.extui %b : i8 to i32
            %p = arith.muli %x, %y : i32
            %2 = affine.apply affine_map<(i, j) -> (i * 16 + j)> (%i, %j)
            %c = memref.load %C[%2] : memref<512xi32>
            // CHECK-NEXT: %[[P:.*]] = amx.tile_muli %[[A]], %[[B]] zext, %[[U]]
            // CHECK: amx.tile_load %A[%{{.*}}], %{{.*}} : memref<?xi8> into !amx.tile<4x64xi8>
            // CHECK-NEXT: %[[Q:.*]] = amx.tile_muli %{{.*}}, %[[B]] zext, %[[V]]
            // CHECK-NEXT: scf.yield %[[P]], %[[Q]]
            %d = arith.addi %c, %p : i32
            memref.store %d, %C[%2] : memref<512xi32>
          }
        }
      }
    }
  }
  // CHECK: amx.tile_store %C[%{{.*}}], %{{.*}}, %{{.*}} : memref<512xi32>, !amx.tile<16x16xi32>
  // CHECK: amx.tile_store %C[%{{.*}}], %{{.*}}, %{{.*}} : memref<512xi32>, !amx.tile<4x16xi32>
  func.return
}

// Groups that fill no step are left, of a number that the call knows, too; what they add to is loaded.
// CHECK-LABEL: func.func @groups_left
func.func @groups_left(%n: index, %A: memref<?xi8>, %B: memref<?xi8>, %C: memref<256xi32>) {
  // CHECK: %[[FIRST:.*]] = amx.tile_load %C
  // CHECK: affine.apply affine_map<(d0) -> ((d0 floordiv 16))> (%n)
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
  // CHECK: amx.tile_store %C
  // CHECK: loop.for %g = max(%n floordiv 16 * 16, 0) to %n {
  // CHECK-NEXT: loop.for %i = 0 to 16 vectorized {
  loop.for %g = 0 to %n {
    loop.for %i = 0 to 16 vectorized {
      loop.for %j = 0 to 16 vectorized {
        loop.for %k = 0 to 4 {
          %0 = affine.apply affine_map<(g, i, k) -> (i * 128 + g * 4 + k)> (%g, %i, %k)
          %a = memref.load %A[%0] : memref<?xi8>
          %1 = affine.apply affine_map<(g, j, k) -> (g * 64 + j * 4 + k)> (%g, %j, %k)
          %b = memref.load %B[%1] : memref<?xi8>
          %x = arith.extui %a : i8 to i32
          %y = arith.extsi %b : i8 to i32
          %p = arith.muli %y, %x : i32
          %2 = affine.apply affine_map<(i, j) -> (i * 16 + j)> (%i, %j)
          %c = memref.load %C[%2] : memref<256xi32>
          %d = arith.addi %p, %c : i32
          memref.store %d, %C[%2] : memref<256xi32>
        }
      }
    }
  }
  func.return
}

// bf16 only where subnormal numbers may count as 0; sums and factors of 3 x 2 tiles fill no 8 registers.
// CHECK-LABEL: func.func @no_tiles
// CHECK-NOT: amx
func.func @no_tiles(%A: memref<4096xbf16>, %B: memref<4096xbf16>, %C: memref<256xf32>, %D: memref<4096xi8>, %E: memref<4096xi8>, %F: memref<2048xi32>) {
  loop.for %g = 0 to 16 {
    loop.for %i = 0 to 16 vectorized {
      loop.for %j = 0 to 16 vectorized {
        loop.for %k = 0 to 2 {
          %0 = affine.apply affine_map<(g, i, k) -> (i * 32 + g * 2 + k)> (%g, %i, %k)
          %a = memref.load %A[%0] : memref<4096xbf16>
          %1 = affine.apply affine_map<(g, j, k) -> (g * 32 + j * 2 + k)> (%g, %j, %k)
          %b = memref.load %B[%1] : memref<4096xbf16>
          %x = arith.extf %a : bf16 to f32
          %y = arith.extf %b : bf16 to f32
          %p = arith.mulf %x, %y : f32
          %2 = affine.apply affine_map<(i, j) -> (i * 16 + j)> (%i, %j)
          %c = memref.load %C[%2] : memref<256xf32>
          %d = arith.addf %c, %p : f32
          memref.store %d, %C[%2] : memref<256xf32>
        }
      }
    }
  }
  loop.for %g = 0 to 16 {
    loop.for %i = 0 to 48 vectorized {
      loop.for %j = 0 to 32 vectorized {
        loop.for %k = 0 to 4 {
          %0 = affine.apply affine_map<(g, i, k) -> (i * 64 + g * 4 + k)> (%g, %i, %k)
          %a = memref.load %D[%0] : memref<4096xi8>
          %1 = affine.apply affine_map<(g, j, k) -> (g * 128 + j * 4 + k)> (%g, %j, %k)
          %b = memref.load %E[%1] : memref<4096xi8>
          %x = arith.extsi %a : i8 to i32
          %y = arith.extsi %b : i8 to i32
          %p = arith.muli %x, %y : i32
          %2 = affine.apply affine_map<(i, j) -> (i * 32 + j)> (%i, %j)
          %c = memref.load %F[%2] : memref<2048xi32>
          %d = arith.addi %c, %p : i32
          memref.store %d, %F[%2] : memref<2048xi32>
        }
      }
    }
  }
  func.return
}
