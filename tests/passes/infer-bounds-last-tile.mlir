// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// The last tile of 20 by 16 has 4 iterations: the inner range says so, no guard is needed.
te.func @last_tile(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = te.compute "C" (%i = 20) : tensor<20xf32> {
    %r0 = te.read %A[%i] : f32
    te.yield %r0 : f32
  }
  te.return %C : tensor<20xf32>
}
schedule.sequence @s on @last_tile {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 16
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
  %B = te.compute "B" (%x = 20) : tensor<20xf32> {
    %r0 = te.read %A[%x] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%i = 20) : tensor<20xf32> {
    %r0 = te.read %B[%i] : f32
    te.yield %r0 : f32
  }
  te.return %C : tensor<20xf32>
}
schedule.sequence @s on @attached {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 16
  schedule.compute_at %B, %C, %io
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
