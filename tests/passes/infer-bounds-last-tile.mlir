// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// The last tile of 20 by 16 has 4 iterations: the inner range says so, no guard is needed.
te.func @last_tile(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 16
    schedule.order %io, %ii
    schedule.equation (%i_1) {
      %r0 = te.read %A[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @last_tile
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 16
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 2
// CHECK-NEXT:     schedule.range %ii = 0 to min(16, %io * -16 + 20)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 16 + %ii

// -----

// What is computed for the last tile has 4 elements too; it is stored as all other tiles are.
te.func @attached(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i factor 16
    schedule.order %io, %ii
    %B = schedule.stage "B" at %io (%x = 20) : tensor<20xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1) {
      %r0 = te.read %B[%i_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @attached
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 20) : tensor<20xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 16
// CHECK-NEXT:     schedule.order %io, %ii
// CHECK-NEXT:     schedule.region [0 : 20]
// CHECK-NEXT:     schedule.range %io = 0 to 2
// CHECK-NEXT:     schedule.range %ii = 0 to min(16, %io * -16 + 20)
// CHECK-NEXT:     schedule.range %i = 0 to 20
// CHECK-NEXT:     schedule.value %i = %io * 16 + %ii
// CHECK-NEXT:     %B = schedule.stage "B" at %io (%x = 20) : tensor<20xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%io * 16 : 16]
// CHECK-NEXT:       schedule.range %x = %io * 16 to min(20, %io * 16 + 16)
