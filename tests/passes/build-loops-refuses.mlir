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

// -----

// CHECK: error: build-loops: no array has elements of type i128
// CHECK-NEXT: te.func @wide_elements
te.func @wide_elements() -> (tensor<8xi128>) {
  %C = schedule.stage "C" (%y = 8) : tensor<8xi128> {
    schedule.order %y
    schedule.region [0 : 8]
    schedule.range %y = 0 to 8
    schedule.equation (%q) {
      %one = arith.constant 1 : i128
      te.yield %one : i128
    }
  }
  te.return %C : tensor<8xi128>
}

// -----

// CHECK: error: build-loops: stage "D": axis i is used outside its loop
// CHECK-NEXT: %D = schedule.stage
te.func @axis_further_in() -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    %o, %i = schedule.split %y factor 8
    schedule.order %o, %i
    schedule.region [0 : 64]
    schedule.range %y = 0 to 64
    schedule.range %o = 0 to 8
    schedule.range %i = 0 to 8
    schedule.value %y = %o * 8 + %i
    %D = schedule.stage "D" at %o (%z = 64) : tensor<64xf32> {
      schedule.order %z
      schedule.region [%i : 64]
      schedule.range %z = 0 to 64
      schedule.equation (%q) {
        %one = arith.constant 1.0 : f32
        te.yield %one : f32
      }
    }
    schedule.equation (%q) {
      %0 = te.read %D[%q] : f32
      te.yield %0 : f32
    }
  }
  te.return %C : tensor<64xf32>
}
