// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// B and C are computed per tile of E, D per element: B is as wide as C and D need it together.
te.func @depths(%A: tensor<70xf32>) -> (tensor<64xf32>) {
  %E = schedule.stage "E" (%i = 64) : tensor<64xf32> {
    %io, %ii = schedule.split %i factor 16
    schedule.order %io, %ii
    %B = schedule.stage "B" at %io (%x = 70) : tensor<70xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    %C = schedule.stage "C" at %io (%y = 68) : tensor<68xf32> {
      schedule.order %y
      schedule.equation (%y_1) {
        %r0 = te.read %B[%y_1] : f32
        %r1 = te.read %B[%y_1 + 2] : f32
        %t1 = arith.addf %r0, %r1 : f32
        te.yield %t1 : f32
      }
    }
    %D = schedule.stage "D" at %ii (%z = 66) : tensor<66xf32> {
      schedule.order %z
      schedule.equation (%z_1) {
        %r0 = te.read %B[%z_1 + 3] : f32
        %r1 = te.read %C[%z_1] : f32
        %r2 = te.read %C[%z_1 + 1] : f32
        %t1 = arith.addf %r0, %r1 : f32
        %t2 = arith.addf %t1, %r2 : f32
        te.yield %t2 : f32
      }
    }
    schedule.equation (%i_1) {
      %r0 = te.read %C[%i_1] : f32
      %r1 = te.read %D[%i_1] : f32
      %r2 = te.read %D[%i_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      te.yield %t2 : f32
    }
  }
  te.return %E : tensor<64xf32>
}

// CHECK-LABEL: te.func @depths
// CHECK-NEXT:   %E = schedule.stage "E" (%i = 64) : tensor<64xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 16
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 64]
// CHECK-NEXT:     schedule.range %io = 0 to 4
// CHECK-NEXT:     schedule.range %ii = 0 to 16
// CHECK-NEXT:     schedule.range %i = 0 to 64
// CHECK-NEXT:     schedule.value %i = %io * 16 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %io (%x = 70) : tensor<70xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%io * 16 : 21]
// CHECK-NEXT:       schedule.range %x = %io * 16 to %io * 16 + 21
// CHECK:          %C = schedule.stage "C" at %io (%y = 68) : tensor<68xf32>
// CHECK-NEXT:       schedule.order %y
// CHECK-NEXT:       schedule.region [%io * 16 : 19]
// CHECK-NEXT:       schedule.range %y = %io * 16 to %io * 16 + 19
// CHECK:          %D = schedule.stage "D" at %ii (%z = 66) : tensor<66xf32>
// CHECK-NEXT:       schedule.order %z
// CHECK-NEXT:       schedule.region [%io * 16 + %ii : 3]
// CHECK-NEXT:       schedule.range %z = %io * 16 + %ii to %io * 16 + %ii + 3
// CHECK-NEXT:       schedule.guard (%z - %io * 16 - %ii - 2 == 0) or (%z - %io * 16 - %ii == 0)
