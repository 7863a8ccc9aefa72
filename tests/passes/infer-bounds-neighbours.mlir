// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// An element, the one before and the one behind: three at a point.
te.func @three_wide(%A: tensor<18xf32>) -> (tensor<16xf32>) {
  %C = schedule.stage "C" (%i = 16) : tensor<16xf32> {
    schedule.order %i
    %B = schedule.stage "B" at %i (%x = 18) : tensor<18xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1] : f32
      %r1 = te.read %B[%i_1 + 1] : f32
      %r2 = te.read %B[%i_1 + 2] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      te.yield %t2 : f32
    }
  }
  te.return %C : tensor<16xf32>
}

// CHECK-LABEL: te.func @three_wide
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 16) : tensor<16xf32>
// CHECK-NEXT:     schedule.order %i
// CHECK-NEXT:     schedule.region [0 : 16]
// CHECK-NEXT:     schedule.range %i = 0 to 16
// CHECK-NEXT:     %B = schedule.stage "B" at %i (%x = 18) : tensor<18xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%i : 3]
// CHECK-NEXT:       schedule.range %x = %i to %i + 3
