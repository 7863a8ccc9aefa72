// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// With stride 2, three rows of the output need seven rows of padded data. The image is
// read only where the condition holds.

// CHECK-LABEL: func.func @conv2d
// CHECK:       loop.for %[[YO:.*]] = 0 to 3 parallel
// CHECK-NEXT:    loop.realize "padded" [0 : 3, %[[YO]] * 6 : 7, 0 : 13]
// CHECK-NEXT:    loop.for {{.*}} = 0 to 3
// CHECK-NEXT:      loop.for %[[Y:.*]] = %[[YO]] * 6 to min(15, %[[YO]] * 6 + 7)
// CHECK:             scf.if
// CHECK-NEXT:          loop.load %{{.*}}[%{{.*}}, %[[Y]] - 1, %{{.*}} - 1]

// LLVM-LABEL: llvm.func @conv2d
// LLVM:       llvm.return
te.func @conv2d(%data: tensor<3x13x11xf32>, %weight: tensor<2x3x3x3xf32>) -> (tensor<2x7x6xf32>) {
  %padded = te.compute "padded" (%c = 3, %y = 15, %x = 13) : tensor<3x15x13xf32> {
    %one = arith.constant 1 : index
    %bottom = arith.constant 14 : index
    %right = arith.constant 12 : index
    %0 = arith.cmpi sge, %y, %one : index
    %1 = arith.cmpi slt, %y, %bottom : index
    %2 = arith.cmpi sge, %x, %one : index
    %3 = arith.cmpi slt, %x, %right : index
    %4 = arith.andi %0, %1 : i1
    %5 = arith.andi %2, %3 : i1
    %inside = arith.andi %4, %5 : i1
    %value = scf.if %inside -> (f32) {
      %d = te.read %data[%c, %y - 1, %x - 1] : f32
      scf.yield %d : f32
    } else {
      %zero = arith.constant 0.0 : f32
      scf.yield %zero : f32
    }
    te.yield %value : f32
  }
  %out = te.compute "out" (%f = 2, %y = 7, %x = 6) reduce (%c = 3, %dy = 3, %dx = 3) : tensor<2x7x6xf32> {
    %p = te.read %padded[%c, %y * 2 + %dy, %x * 2 + %dx] : f32
    %w = te.read %weight[%f, %c, %dy, %dx] : f32
    %pw = arith.mulf %p, %w : f32
    te.yield %pw : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %out : tensor<2x7x6xf32>
}
schedule.sequence @tiled on @conv2d {
  %out = schedule.get "out"
  %padded = schedule.get "padded"
  %f, %y, %x, %c, %dy, %dx = schedule.axes 6 of %out
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 3, 8
  schedule.reorder %yo, %xo, %f, %c, %dy, %dx, %yi, %xi
  schedule.compute_at %padded, %out, %xo
  schedule.vectorize %xi
  schedule.parallel %yo
}
