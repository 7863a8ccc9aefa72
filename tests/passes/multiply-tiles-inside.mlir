// RUN: teloom-opt %s -p multiply-tiles --cpu sapphirerapids | filecheck %s

// The sums go on in the loop in which it is said where groups begin and rows are; not outside of it.
// CHECK-LABEL: func.func @known_inside
func.func @known_inside(%n: index, %A: memref<?xi8>, %B: memref<?xi8>, %C: memref<256xi32>) {
  // CHECK: loop.for %o = 0 to 3 {
  loop.for %o = 0 to 3 {
    // CHECK-NEXT: %[[BEGIN:.*]] = affine.min
    %begin = affine.min affine_map<(o)[n] -> (o * 64, n)> (%o)[%n]
    // CHECK: amx.tile_load %C
    // CHECK: scf.for %p = {{.*}} iter_args
    // CHECK: scf.for %step = {{.*}} iter_args
    // CHECK: affine.apply affine_map<{{.*}}> (%[[BEGIN]]
    // CHECK: amx.tile_store %C
    loop.for %p = 0 to 2 {
      loop.for %g = 0 to 16 {
        loop.for %i = 0 to 16 vectorized {
          loop.for %j = 0 to 16 vectorized {
            loop.for %k = 0 to 4 {
              %0 = affine.apply affine_map<(g, i, k, b, p) -> (i * 384 + g * 4 + k + b + p)> (%g, %i, %k, %begin, %p)
              %a = memref.load %A[%0] : memref<?xi8>
              %1 = affine.apply affine_map<(g, j, k) -> (g * 64 + j * 4 + k)> (%g, %j, %k)
              %b = memref.load %B[%1] : memref<?xi8>
              %x = arith.extsi %a : i8 to i32
              %y = arith.extsi %b : i8 to i32
              %q = arith.muli %x, %y : i32
              %2 = affine.apply affine_map<(i, j) -> (i * 16 + j)> (%i, %j)
              %c = memref.load %C[%2] : memref<256xi32>
              %d = arith.addi %c, %q : i32
              memref.store %d, %C[%2] : memref<256xi32>
            }
          }
        }
      }
    }
  }
  func.return
}

// What a product reads is computed in its loops: it stays vectors.
// CHECK-LABEL: func.func @computed_inside
// CHECK-NOT: amx
func.func @computed_inside(%n: index, %A: memref<?xi8>, %B: memref<?xi8>, %C: memref<256xi32>) {
  loop.for %g = 0 to 16 {
    %begin = affine.min affine_map<(o)[n] -> (o * 64, n)> (%g)[%n]
    loop.for %i = 0 to 16 vectorized {
      loop.for %j = 0 to 16 vectorized {
        loop.for %k = 0 to 4 {
          %0 = affine.apply affine_map<(i, k, b) -> (i * 384 + b + k)> (%i, %k, %begin)
          %a = memref.load %A[%0] : memref<?xi8>
          %1 = affine.apply affine_map<(g, j, k) -> (g * 64 + j * 4 + k)> (%g, %j, %k)
          %b = memref.load %B[%1] : memref<?xi8>
          %x = arith.extsi %a : i8 to i32
          %y = arith.extsi %b : i8 to i32
          %q = arith.muli %x, %y : i32
          %2 = affine.apply affine_map<(i, j) -> (i * 16 + j)> (%i, %j)
          %c = memref.load %C[%2] : memref<256xi32>
          %d = arith.addi %c, %q : i32
          memref.store %d, %C[%2] : memref<256xi32>
        }
      }
    }
  }
  func.return
}

// What is computed inside of what is known outside is computed outside: here half a tile's place.
// CHECK-LABEL: func.func @moved
func.func @moved(%n: index, %m: index, %A: memref<?xi8>, %B: memref<?xi8>, %C: memref<256xi32>) {
  // CHECK: %[[FIRST:.*]] = arith.muli %n, %m : index
  // CHECK: scf.for %step
  // CHECK-NEXT: affine.apply affine_map<(d0, d1) -> ((d0 + (d1 * 64)))> (%[[FIRST]], %step)
  loop.for %g = 0 to 16 {
    loop.for %i = 0 to 16 vectorized {
      loop.for %j = 0 to 16 vectorized {
        loop.for %k = 0 to 4 {
          %first = arith.muli %n, %m : index
          %0 = affine.apply affine_map<(g, i, k, f) -> (f + i * 384 + g * 4 + k)> (%g, %i, %k, %first)
          %a = memref.load %A[%0] : memref<?xi8>
          %1 = affine.apply affine_map<(g, j, k) -> (g * 64 + j * 4 + k)> (%g, %j, %k)
          %b = memref.load %B[%1] : memref<?xi8>
          %x = arith.extsi %a : i8 to i32
          %y = arith.extsi %b : i8 to i32
          %q = arith.muli %x, %y : i32
          %2 = affine.apply affine_map<(i, j) -> (i * 16 + j)> (%i, %j)
          %c = memref.load %C[%2] : memref<256xi32>
          %d = arith.addi %c, %q : i32
          memref.store %d, %C[%2] : memref<256xi32>
        }
      }
    }
  }
  func.return
}
