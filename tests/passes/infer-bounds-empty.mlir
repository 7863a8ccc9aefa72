// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// An axis of extent 0 runs nowhere, and its producer is not computed.
te.func @zero(%A: tensor<4xf32>) -> (tensor<0xf32>) {
  %B = schedule.stage "B" (%x = 4) : tensor<4xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %r0 = te.read %A[%x_1] : f32
      te.yield %r0 : f32
    }
  }
  %C = schedule.stage "C" (%i = 0) : tensor<0xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<0xf32>
}

// CHECK-LABEL: te.func @zero
// CHECK-NEXT:   %B = schedule.stage "B" (%x = 4) : tensor<4xf32>
// CHECK:          schedule.region [0 : 0]
// CHECK-NEXT:     schedule.range %x = 0 to 0
// CHECK:        %C = schedule.stage "C" (%i = 0) : tensor<0xf32>
// CHECK:          schedule.region [0 : 0]
// CHECK-NEXT:     schedule.range %i = 0 to 0

// -----

// A split of it neither.
te.func @split(%A: tensor<4xf32>) -> (tensor<0xf32>) {
  %C = schedule.stage "C" (%i = 0) : tensor<0xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<0xf32>
}

// CHECK-LABEL: te.func @split
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 0) : tensor<0xf32>
// CHECK:          schedule.region [0 : 0]
// CHECK-NEXT:     schedule.range %io = 0 to 0
// CHECK-NEXT:     schedule.range %ii = 0 to 0
// CHECK-NEXT:     schedule.range %i = 0 to 0
// CHECK-NEXT:     schedule.value %i = %io * 4 + %ii

// -----

// Nor a fusion.
te.func @fuse(%A: tensor<4xf32>) -> (tensor<3x0xf32>) {
  %C = schedule.stage "C" (%i = 3, %j = 0) : tensor<3x0xf32> {
    %f = schedule.fuse %i, %j
    schedule.order %f
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<3x0xf32>
}

// CHECK-LABEL: te.func @fuse
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 3, %j = 0) : tensor<3x0xf32>
// CHECK:          schedule.region [0 : 3, 0 : 0]
// CHECK-NEXT:     schedule.range %f = 0 to 0
// CHECK-NEXT:     schedule.range %i = 0 to 3
// CHECK-NEXT:     schedule.range %j = 0 to 0
// CHECK-NEXT:     schedule.value %j = 0
// CHECK-NEXT:     schedule.value %i = %f
