// RUN: teloom-opt %s -p apply-schedule | filecheck %s
// RUN: teloom-opt %s -p apply-schedule,infer-bounds | filecheck %s --check-prefix=BOUNDS

// The einsum and what it reads along the axis are longer; there, zeros are read. A data axis is
// computed in whole blocks, of which the stage copies what is inside.
te.func @rows(%n: index, %A: tensor<?x7xf32>[%n, 7], %X: tensor<7xf32>) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n) reduce (%k = 7) : tensor<?xf32> {
    %a = te.read %A[%i, %k] : f32
    %x = te.read %X[%k] : f32
    %m = arith.mulf %a, %x : f32
    te.yield %m : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @rows {
  %C = schedule.get "C"
  %P = schedule.cache_write %C "local"
  %AP = schedule.cache_read argument 0 "local" readers %P
  %XP = schedule.cache_read argument 1 "local" readers %P
  %i, %k = schedule.axes 2 of %P
  schedule.pad_einsum %i by 4
  schedule.pad_einsum %k by 8
}

// CHECK:      %A.local = schedule.stage "A.local" in "local" (%ax0 = %n ceildiv 4 * 4, %ax1 = 8) : tensor<?x8xf32> {
// CHECK:        scf.if
// CHECK:          scf.if
// CHECK:            te.read %A[%ax0_1, %ax1_1] : f32
// CHECK:      %X.local = schedule.stage "X.local" in "local" (%ax0_2 = 8) : tensor<8xf32> {
// CHECK:        scf.if
// CHECK:          te.read %X[%ax0_3] : f32
// CHECK:      %C.local = schedule.stage "C.local" in "local" (%i.c = %n ceildiv 4 * 4) reduce (%k = 8) : tensor<?xf32> {
// CHECK-NEXT:   schedule.bounded %i.c modulus 4 remainder 0
// CHECK-NEXT:   schedule.order %i.c, %k
// CHECK:        te.read %A.local[%i, %k_1] : f32
// CHECK:      %C = schedule.stage "C" (%i_1 = %n) : tensor<?xf32> {

// BOUNDS:      %C.local = schedule.stage
// BOUNDS:        schedule.range %i.c = 0 to %n ceildiv 4 * 4
// BOUNDS-NEXT:   schedule.range %k = 0 to 8

// Other subscripts may be those of a window: channels are rounded up, and zero beyond.
// CHECK:      schedule.stage "A.local" in "local" (%ax0 = 4, %ax1 = 8) : tensor<4x8xf32>
// CHECK:      schedule.stage "W.local" in "local" (%{{.*}} = 4, %{{.*}} = 3) : tensor<4x3xf32>
// CHECK:      schedule.stage "C.local" in "local" (%x.c = 6) reduce (%c = 4, %r = 3) : tensor<6xf32>
te.func @window(%A: tensor<3x8xf32>, %W: tensor<3x3xf32>) -> (tensor<6xf32>) {
  %C = te.compute "C" (%x = 6) reduce (%c = 3, %r = 3) : tensor<6xf32> {
    %a = te.read %A[%c, %x + %r] : f32
    %w = te.read %W[%c, %r] : f32
    %m = arith.mulf %a, %w : f32
    te.yield %m : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6xf32>
}
schedule.sequence @of_window on @window {
  %C = schedule.get "C"
  %P = schedule.cache_write %C "local"
  %AP = schedule.cache_read argument 0 "local" readers %P
  %WP = schedule.cache_read argument 1 "local" readers %P
  %x, %c, %r = schedule.axes 3 of %P
  schedule.pad_einsum %c by 4
}
