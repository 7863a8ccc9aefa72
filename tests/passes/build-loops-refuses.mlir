// RUN: not teloom-opt %s --split-input-file -p build-loops 2>&1 | filecheck %s

// A range says how far an axis runs, not where it is.
// CHECK: error: build-loops: axis x has no schedule.value; run infer-bounds first
te.func @no_value(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%x = 8) : tensor<8xf32> {
    %xo, %xi = schedule.split %x factor 4
    schedule.order %xo, %xi
    schedule.region [0 : 8]
    schedule.range %xo = 0 to 2
    schedule.range %xi = 0 to 4
    schedule.range %x = 0 to 8
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<8xf32>
}

// -----

// Nor does a range say it of an axis that was shifted.
// CHECK: error: build-loops: axis x has no schedule.value; run infer-bounds first
te.func @no_shifted_value(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%x = 8) : tensor<8xf32> {
    %s = schedule.shift %x by 1
    schedule.order %s
    schedule.region [0 : 8]
    schedule.range %s = 1 to 9
    schedule.range %x = 0 to 8
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<8xf32>
}
