// RUN: not teloom-opt %s --split-input-file -p infer-bounds 2>&1 | filecheck %s

// The coordinates of every axis are numbers of 64 bits, far from their limits.
// CHECK: error: infer-bounds: shift of axis i by offset 9223372036854775807: offset must be at most 2305843009213693952
te.func @f(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
    %s = schedule.shift %i by 9223372036854775807
    %t = schedule.shift %s by -9223372036854775807
    schedule.order %t
    schedule.equation (%i_1) {
      %a = te.read %A[%i_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<20xf32>
}
