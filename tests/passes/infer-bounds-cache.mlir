// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// A matrix product in tiles of 8 x 16: each is computed in a cache of its own size, and for every
// four steps of the reduction what these read of A and B is copied first.
te.func @matmul(%n: index, %A: tensor<?x64xf32>[%n, 64], %B: tensor<64x32xf32>) -> (tensor<?x32xf32>) {
  %C = schedule.stage "C" (%i = %n, %j = 32) : tensor<?x32xf32> {
    %io, %ii = schedule.split %i factor 8
    %jo, %ji = schedule.split %j factor 16
    schedule.order %io, %jo, %ii, %ji
    %C.local = schedule.stage "C.local" at %jo in "local" (%i.c = %n, %j.c = 32) reduce (%k = 64) : tensor<?x32xf32> {
      %ko, %ki = schedule.split %k factor 4
      schedule.order %ko, %ki, %i.c, %j.c
      %A.shared = schedule.stage "A.shared" at %ko in "shared" (%ax0 = %n, %ax1 = 64) : tensor<?x64xf32> {
        schedule.order %ax0, %ax1
        schedule.equation (%ax0_1, %ax1_1) {
          %0 = te.read %A[%ax0_1, %ax1_1] : f32
          te.yield %0 : f32
        }
      }
      %B.shared = schedule.stage "B.shared" at %ko in "shared" (%ax0_2 = 64, %ax1_2 = 32) : tensor<64x32xf32> {
        schedule.order %ax0_2, %ax1_2
        schedule.equation (%ax0_3, %ax1_3) {
          %1 = te.read %B[%ax0_3, %ax1_3] : f32
          te.yield %1 : f32
        }
      }
      schedule.equation (%i_1, %j_1, %k_1) {
        %a = te.read %A.shared[%i_1, %k_1] : f32
        %b = te.read %B.shared[%k_1, %j_1] : f32
        %c = arith.mulf %a, %b : f32
        te.yield %c : f32
      } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
        %s = arith.addf %x, %y : f32
        te.yield %s : f32
      }
    }
    schedule.equation (%i_2, %j_2) {
      %2 = te.read %C.local[%i_2, %j_2] : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<?x32xf32>
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
  %A.local = schedule.stage "A.local" in "local" (%ax0 = 64) : tensor<64xf32> {
    schedule.order %ax0
    schedule.equation (%ax0_1) {
      %0 = te.read %A[%ax0_1] : f32
      te.yield %0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 10) : tensor<10xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %a = te.read %A.local[%i_1 * 3 + 5] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<10xf32>
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
  %B = schedule.stage "B" (%x = 66) : tensor<66xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%i = 64) : tensor<64xf32> {
    %io, %ii = schedule.split %i factor 16
    schedule.order %io, %ii
    %B.local = schedule.stage "B.local" at %io in "local" (%ax0 = 66) : tensor<66xf32> {
      schedule.order %ax0
      schedule.equation (%ax0_1) {
        %0 = te.read %B[%ax0_1] : f32
        te.yield %0 : f32
      }
    }
    schedule.equation (%i_1) {
      %l = te.read %B.local[%i_1] : f32
      %r = te.read %B.local[%i_1 + 2] : f32
      %s = arith.addf %l, %r : f32
      te.yield %s : f32
    }
  }
  %D = schedule.stage "D" (%y = 66) : tensor<66xf32> {
    schedule.order %y
    schedule.equation (%y_1) {
      %b = te.read %B[%y_1] : f32
      te.yield %b : f32
    }
  }
  te.return %C, %D : tensor<64xf32>, tensor<66xf32>
}

// CHECK-LABEL: te.func @halo
// CHECK-NEXT:    schedule.stage "B" (%x = 66)
// CHECK:           schedule.region [0 : 66]
// CHECK:         schedule.stage "C"
// CHECK:           schedule.stage "B.local" at %io in "local"
// CHECK:             schedule.region [%io * 16 : 18]
