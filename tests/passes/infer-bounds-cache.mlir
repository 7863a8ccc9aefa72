// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// A matrix product in tiles of 8 x 16: each is computed in a cache of its own size, and for every
// four steps of the reduction what these read of A and B is copied first.
te.func @matmul(%n: index, %A: tensor<?x64xf32>[%n, 64], %B: tensor<64x32xf32>) -> (tensor<?x32xf32>) {
  %C = te.compute "C" (%i = %n, %j = 32) reduce (%k = 64) : tensor<?x32xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x32xf32>
}
schedule.sequence @s on @matmul {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %CL = schedule.cache_write %C "local"
  %AS = schedule.cache_read argument 0 "shared" readers %CL
  %BS = schedule.cache_read argument 1 "shared" readers %CL
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 16
  schedule.compute_at %CL, %C, %jo
  %ic, %jc, %kc = schedule.axes 3 of %CL
  %ko, %ki = schedule.split %kc factor 4
  schedule.reorder %ko, %ki, %ic, %jc
  schedule.compute_at %AS, %CL, %ko
  schedule.compute_at %BS, %CL, %ko
}

// CHECK-LABEL: te.func @matmul
// CHECK-NEXT:    schedule.stage "C" (%i = %n, %j = 32)
// CHECK:           schedule.stage "C.local" at %jo in "local"
// CHECK:             schedule.order %ko, %ki, %i.c, %j.c
// CHECK-NEXT:        schedule.region [%io * 8 : 8, %jo * 16 : 16]
// CHECK-NEXT:        schedule.range %ko = 0 to 16
// CHECK-NEXT:        schedule.range %ki = 0 to 4
// CHECK-NEXT:        schedule.range %i.c = %io * 8 to min(%io * 8 + 8, %n)
// CHECK-NEXT:        schedule.range %j.c = %jo * 16 to %jo * 16 + 16
// CHECK:             schedule.stage "A.shared" at %ko in "shared"
// CHECK:               schedule.region [%io * 8 : 8, %ko * 4 : 4]
// CHECK-NEXT:          schedule.range %ax0 = %io * 8 to min(%io * 8 + 8, %n)
// CHECK-NEXT:          schedule.range %ax1 = %ko * 4 to %ko * 4 + 4
// CHECK:             schedule.stage "B.shared" at %ko in "shared"
// CHECK:               schedule.region [%ko * 4 : 4, %jo * 16 : 16]

// -----

// Only what the readers need of an argument is copied, also at the root: here every third element
// from 5 on.
te.func @strided(%A: tensor<64xf32>) -> (tensor<10xf32>) {
  %C = te.compute "C" (%i = 10) : tensor<10xf32> {
    %a = te.read %A[%i * 3 + 5] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<10xf32>
}
schedule.sequence @s on @strided {
  %C = schedule.get "C"
  %AL = schedule.cache_read argument 0 "local" readers %C
}

// CHECK-LABEL: te.func @strided
// CHECK-NEXT:    schedule.stage "A.local" in "local" (%ax0 = 64)
// CHECK-NEXT:      schedule.order %ax0
// CHECK-NEXT:      schedule.region [5 : 28]
// CHECK-NEXT:      schedule.range %ax0 = 5 to 33
// CHECK-NEXT:      schedule.guard

// -----

// The reader that was not named is not counted: the copy has its halo of 2 at each tile, D reads B.
te.func @halo(%A: tensor<66xf32>) -> (tensor<64xf32>, tensor<66xf32>) {
  %B = te.compute "B" (%x = 66) : tensor<66xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 64) : tensor<64xf32> {
    %l = te.read %B[%i] : f32
    %r = te.read %B[%i + 2] : f32
    %s = arith.addf %l, %r : f32
    te.yield %s : f32
  }
  %D = te.compute "D" (%y = 66) : tensor<66xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  te.return %C, %D : tensor<64xf32>, tensor<66xf32>
}
schedule.sequence @s on @halo {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %BL = schedule.cache_read %B "local" readers %C
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 16
  schedule.compute_at %BL, %C, %io
}

// CHECK-LABEL: te.func @halo
// CHECK-NEXT:    schedule.stage "B" (%x = 66)
// CHECK:           schedule.region [0 : 66]
// CHECK:         schedule.stage "C"
// CHECK:           schedule.stage "B.local" at %io in "local"
// CHECK:             schedule.region [%io * 16 : 18]
