// RUN: not teloom-opt %s -p apply-schedule,infer-bounds 2>&1 | filecheck %s

// CHECK: stage "C" at [0] reads B[0], but axis 0 of B runs from 1 to 4
te.func @below() -> (tensor<4xf32>) {
  %B = te.compute "B" (%i = 1 to 5) : tensor<4xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  %C = te.compute "C" (%i = 4) : tensor<4xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<4xf32>
}
