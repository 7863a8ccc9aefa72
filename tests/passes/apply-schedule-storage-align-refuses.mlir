// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// An axis that a relation made has no stride of its own.
// CHECK: error: apply-schedule: axis xo is no data axis of the equation of "B"; these are x, y
te.func @made(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
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
schedule.sequence @s on @made {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  %xo, %xi = schedule.split %x factor 4
  schedule.storage_align %xo factor 2 offset 1
}

// -----

// A caller's buffer has no gaps.
// CHECK: error: apply-schedule: cannot align axis x of "B": it is an output, which the caller stores row-major and without gaps
te.func @output(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
  %B = te.compute "B" (%x = 8, %y = 16) : tensor<8x16xf32> {
    %a = te.read %A[%x, %y] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<8x16xf32>
}
schedule.sequence @s on @output {
  %B = schedule.get "B"
  %x, %y = schedule.axes 2 of %B
  schedule.storage_align %x factor 2 offset 1
}
