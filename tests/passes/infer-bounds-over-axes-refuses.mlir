// RUN: not teloom-opt %s -p apply-schedule,infer-bounds 2>&1 | filecheck %s

// An axis that runs nowhere, wherever the axes before it are.
// CHECK: axis k of stage "S" runs from i + 4 to i: that is never an iteration
te.func @never(%A: tensor<4xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = %i + 4 to %i) : tensor<4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<4xf32>
}
