// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// The mode and the budget stand on the stage; of several commands, each says its part.
te.func @parts(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @parts {
  %B = schedule.get "B"
  schedule.set_mode %B "hull"
  schedule.set_mode %B budget 5000
  %C = schedule.get "C"
  schedule.set_mode %C "box"
}

// CHECK-LABEL: te.func @parts
// CHECK:          %B = schedule.stage "B" mode "hull" budget 5000 (%i = 8) : tensor<8xf32>
// CHECK:          %C = schedule.stage "C" mode "box" (%j = 8) : tensor<8xf32>
