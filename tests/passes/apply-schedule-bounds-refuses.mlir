// RUN: not teloom-opt %s --split-input-file -p apply-schedule,infer-bounds 2>&1 | filecheck %s

// CHECK: error: infer-bounds: "B" is bound along axis i from 2 to an extent of 32, but its element [1] is needed
te.func @never(%A: tensor<34xf32>) -> (tensor<32xf32>) {
  %B = te.compute "B" (%i = 34) : tensor<34xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 32) : tensor<32xf32> {
    %b = te.read %B[%i + 1] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<32xf32>
}
schedule.sequence @s on @never {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.bound %i from 2 extent 32
}

// -----

// CHECK: error: apply-schedule: cannot align the bounds of axis i of "C": it is an output, which the caller stores row-major and without gaps
te.func @output(%n: index, %A: tensor<?xf32>[%n + 2]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n + 2) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = %n) : tensor<?xf32> {
    %b = te.read %B[%i + 1] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @output {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.align_bounds %i modulus 4
}

// -----

// CHECK: error: infer-bounds: "B" is bound along axis i to an extent of 31, but its element [32] is needed
te.func @longer(%A: tensor<34xf32>) -> (tensor<32xf32>) {
  %B = te.compute "B" (%i = 34) : tensor<34xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 32) : tensor<32xf32> {
    %b = te.read %B[%i + 1] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<32xf32>
}
schedule.sequence @s on @longer {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.bound_extent %i extent 31
}

// -----

// CHECK: error: apply-schedule: axis k is no data axis of the equation of "S"; these are none
te.func @sum(%A: tensor<8xf32>) -> (tensor<f32>) {
  %S = te.compute "S" () reduce (%k = 8) : tensor<f32> {
    %a = te.read %A[%k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<f32>
}
schedule.sequence @s on @sum {
  %S = schedule.get "S"
  %k = schedule.axes 1 of %S
  schedule.bound_extent %k extent 8
}
