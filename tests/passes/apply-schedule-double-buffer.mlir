// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// The stage says that it has two copies; where it is computed can be said later.
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
  schedule.double_buffer %B
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %i
}

// CHECK-LABEL: te.func @rows
// CHECK:         %B = schedule.stage "B" at %i double_buffered (%x = 8, %y = 16) : tensor<8x16xf32>
