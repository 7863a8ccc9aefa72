// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The scope stands on the stage, wherever that is computed.
te.func @shared(%A: tensor<8xf32>) -> (tensor<8xf32>) {
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
schedule.sequence @s on @shared {
  %B = schedule.get "B"
  schedule.set_scope %B "shared"
  %C = schedule.get "C"
  %j = schedule.axes 1 of %C
  schedule.compute_at %B, %C, %j
}

// CHECK-LABEL: te.func @shared
// CHECK:          %B = schedule.stage "B" at %j in "shared" (%i = 8) : tensor<8xf32>

// -----

// The last one counts.
te.func @twice(%A: tensor<8xf32>) -> (tensor<8xf32>) {
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
schedule.sequence @s on @twice {
  %B = schedule.get "B"
  schedule.set_scope %B "local"
  schedule.set_scope %B "global.texture"
}

// CHECK-LABEL: te.func @twice
// CHECK-NEXT:     %B = schedule.stage "B" in "global.texture" (%i = 8) : tensor<8xf32>

// -----

// An output is global, which may be said.
te.func @output(%A: tensor<8xf32>) -> (tensor<8xf32>) {
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
schedule.sequence @s on @output {
  %C = schedule.get "C"
  schedule.set_scope %C "global"
}

// CHECK-LABEL: te.func @output
// CHECK:          %C = schedule.stage "C" in "global" (%j = 8) : tensor<8xf32>
