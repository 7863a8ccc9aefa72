// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The command stays in the stage, also of an axis that a relation consumes; of two for one axis,
// the last.
te.func @rows(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
  %B = te.compute "B" (%x = 8, %y = 16) : tensor<8x16xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8, %j = 16) : tensor<8x16xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8x16xf32>
}
schedule.sequence @s on @rows {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  schedule.storage_align %x factor 4 offset 3
  %xo, %xi = schedule.split %x factor 4
  schedule.storage_align %x factor 2 offset 1
}

// CHECK-LABEL: te.func @rows
// CHECK-NEXT:   %B = schedule.stage "B" aligned axis 0 factor 2 offset 1 (%x = 8, %y = 16) : tensor<8x16xf32>
// CHECK-NEXT:     %xo, %xi = schedule.split %x factor 4
// CHECK-NEXT:     schedule.order %xo, %xi, %y
