// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// A tiled matrix product: a nest that starts the sums of a tile, then one that adds to
// them; sizes stay symbolic, so tiles that end early run apart from whole ones.

// CHECK-LABEL: func.func @matmul
// CHECK:       loop.for %[[IO:.*]] = 0 to %m ceildiv 4 parallel
// CHECK-NEXT:    loop.for %[[JO:.*]] = 0 to %n floordiv 16
// CHECK-NEXT:      loop.for {{.*}} = 0 to min(4, %m - %[[IO]] * 4)
// CHECK-NEXT:        loop.for {{.*}} = 0 to 16 vectorized
// CHECK:               loop.init
// CHECK:           loop.for %[[KO:.*]] = 0 to %k floordiv 4
// CHECK-NEXT:        loop.for {{.*}} = 0 to min(4, %m - %[[IO]] * 4)
// CHECK-NEXT:          loop.for {{.*}} = 0 to 4 unrolled
// CHECK-NEXT:            loop.for {{.*}} = 0 to 16 vectorized

// LLVM-LABEL: llvm.func @matmul
// LLVM:       llvm.fmul {{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<16xf32>
// LLVM-NEXT:  llvm.fadd {{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<16xf32>
te.func @matmul(%m: index, %n: index, %k: index, %A: tensor<?x?xf32>[%m, %k], %B: tensor<?x?xf32>[%k, %n]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %m, %j = %n) reduce (%r = %k) : tensor<?x?xf32> {
    %a = te.read %A[%i, %r] : f32
    %b = te.read %B[%r, %j] : f32
    %ab = arith.mulf %a, %b : f32
    te.yield %ab : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @tiled on @matmul {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 16
  %ko, %ki = schedule.split %k factor 4
  schedule.reorder %io, %jo, %ko, %ii, %ki, %ji
  schedule.unroll %ki
  schedule.vectorize %ji
  schedule.parallel %io
}
