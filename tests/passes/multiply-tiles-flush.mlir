// RUN: teloom-opt %s -p "multiply-tiles{flush=true}" --cpu sapphirerapids | filecheck %s

// With fewer groups than a step has, a tile is narrower.
// CHECK-LABEL: func.func @floats
func.func @floats(%A: memref<512xbf16>, %B: memref<1024xbf16>, %C: memref<512xf32>) {
  // CHECK: amx.tile_load %A{{.*}} into !amx.tile<16x20xbf16>
  // CHECK: amx.tile_load %B{{.*}} into !amx.tile<10x32xbf16>
  // CHECK: amx.tile_mulf %{{.*}} : !amx.tile<16x20xbf16>, !amx.tile<10x32xbf16>, !amx.tile<16x16xf32>
  // CHECK: amx.tile_load %B{{.*}} into !amx.tile<10x16xbf16>
  // CHECK: amx.tile_mulf %{{.*}} : !amx.tile<16x20xbf16>, !amx.tile<10x16xbf16>, !amx.tile<16x8xf32>
  // CHECK-NOT: loop.for
  loop.for %g = 0 to 10 {
    loop.for %i = 0 to 16 unrolled {
      loop.for %j = 0 to 24 vectorized {
        loop.for %k = 0 to 2 {
          %0 = affine.apply affine_map<(g, i, k) -> (i * 20 + g * 2 + k)> (%g, %i, %k)
          %a = memref.load %A[%0] : memref<512xbf16>
          %1 = affine.apply affine_map<(g, j, k) -> (g * 48 + j * 2 + k)> (%g, %j, %k)
          %b = memref.load %B[%1] : memref<1024xbf16>
          %x = arith.extf %a : bf16 to f32
          %y = arith.extf %b : bf16 to f32
          %p = arith.mulf %x, %y : f32
          %2 = affine.apply affine_map<(i, j) -> (i * 24 + j)> (%i, %j)
          %c = memref.load %C[%2] : memref<512xf32>
          %d = arith.addf %c, %p : f32
          memref.store %d, %C[%2] : memref<512xf32>
        }
      }
    }
  }
  func.return
}
