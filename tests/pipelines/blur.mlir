// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-memref | filecheck %s --check-prefix=MEMREF
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// The rows that a tile of the output reads are stored for that tile alone, two columns
// more than the tile has. The last tile begins earlier, if there is a whole one before it.

// CHECK-LABEL: func.func @blur
// CHECK:       loop.for %[[YO:.*]] = 0 to %h ceildiv 8 parallel
// CHECK-NEXT:    loop.if (%w - 32 >= 0)
// CHECK-NEXT:      loop.for %[[XO:.*]] = 0 to %w ceildiv 32
// CHECK-NEXT:        %[[X:.*]] = affine.min affine_map<(d0, d1) -> ((d0 * 32), (d1 + -32))> (%[[XO]], %w)
// CHECK-NEXT:        loop.realize "rows" [%[[YO]] * 8 : 8, %[[X]] : 34]
// CHECK-NEXT:        loop.for {{.*}} = %[[YO]] * 8 to min(%[[YO]] * 8 + 8, %h)
// CHECK-NEXT:          loop.for {{.*}} = %[[X]] to %[[X]] + 34 vectorized
// CHECK:             loop.for {{.*}} = 0 to min(8, %h - %[[YO]] * 8)
// CHECK-NEXT:          loop.for {{.*}} = %[[X]] - %[[XO]] * 32 to %[[X]] - %[[XO]] * 32 + 32 vectorized

// MEMREF-LABEL: func.func @blur
// MEMREF:       : memref<272xf32>

// LLVM-LABEL: llvm.func @blur
// LLVM:       llvm.fdiv {{.*}} : vector<
te.func @blur(%h: index, %w: index, %image: tensor<?x?xf32>[%h + 2, %w + 2]) -> (tensor<?x?xf32>) {
  %rows = te.compute "rows" (%y = %h, %x = %w + 2) : tensor<?x?xf32> {
    %three = arith.constant 3.0 : f32
    %a = te.read %image[%y, %x] : f32
    %b = te.read %image[%y + 1, %x] : f32
    %c = te.read %image[%y + 2, %x] : f32
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    %mean = arith.divf %abc, %three : f32
    te.yield %mean : f32
  }
  %out = te.compute "out" (%y = %h, %x = %w) : tensor<?x?xf32> {
    %three = arith.constant 3.0 : f32
    %a = te.read %rows[%y, %x] : f32
    %b = te.read %rows[%y, %x + 1] : f32
    %c = te.read %rows[%y, %x + 2] : f32
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    %mean = arith.divf %abc, %three : f32
    te.yield %mean : f32
  }
  te.return %out : tensor<?x?xf32>
}
schedule.sequence @tiled on @blur {
  %out = schedule.get "out"
  %rows = schedule.get "rows"
  %y, %x = schedule.axes 2 of %out
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 8, 32
  schedule.compute_at %rows, %out, %xo
  %ry, %rx = schedule.axes 2 of %rows
  schedule.vectorize %rx
  schedule.vectorize %xi
  schedule.parallel %yo
}
