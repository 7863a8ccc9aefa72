// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-memref | filecheck %s --check-prefix=MEMREF
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// The rows that a tile of the output reads are stored for that tile alone, two columns
// more than the tile has; at the edges fewer of them are computed.

// CHECK-LABEL: func.func @blur
// CHECK:       loop.for %[[YO:.*]] = 0 to %h ceildiv 8 parallel
// CHECK-NEXT:    loop.for %[[XO:.*]] = 0 to %w floordiv 32
// CHECK-NEXT:      loop.realize "rows" [%[[YO]] * 8 : 8, %[[XO]] * 32 : 34]
// CHECK-NEXT:      loop.for {{.*}} = %[[YO]] * 8 to min(%[[YO]] * 8 + 8, %h)
// CHECK-NEXT:        loop.for {{.*}} = %[[XO]] * 32 to %[[XO]] * 32 + 34 vectorized
// CHECK:           loop.for {{.*}} = 0 to min(8, %h - %[[YO]] * 8)
// CHECK-NEXT:        loop.for {{.*}} = 0 to 32 vectorized

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
