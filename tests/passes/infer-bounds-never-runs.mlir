// RUN: not teloom-opt %s --split-input-file -p infer-bounds 2>&1 | filecheck %s

// Two constants in the wrong order.
// CHECK: error: infer-bounds: axis k of stage "S" runs from 5 to 3: that is never an iteration
te.func @f(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 5 to 3) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[0] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// -----

// A size makes the extent only smaller: it is 0 or less.
// CHECK: error: infer-bounds: axis k of stage "S" runs from 0 to n * -1: that is never an iteration
te.func @f(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = %n * -1) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[0] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// -----

// From a size to 0.
// CHECK: error: infer-bounds: axis k of stage "S" runs from n to 0: that is never an iteration
te.func @f(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = %n to 0) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[0] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// -----

// Sizes that cancel, and leave a negative extent.
// CHECK: error: infer-bounds: axis k of stage "S" runs from n + 2 to n: that is never an iteration
te.func @f(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = %n + 2 to %n) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[0] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// -----

// With a rounded quotient.
// CHECK: error: infer-bounds: axis k of stage "S" runs from n to (n + m) floordiv 2 - m: that is never an iteration
te.func @f(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = %n to (%n + %m) floordiv 2 - %m) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[0] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// -----

// A data axis.
// CHECK: error: infer-bounds: axis i of stage "S" runs from 0 to n * -1 - 2: that is never an iteration
te.func @f(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %S = schedule.stage "S" (%i = %n * -1 - 2) reduce (%k = 4) : tensor<?xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[0] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<?xf32>
}

// -----

// An axis of extent 0 beside it does not hide it.
// CHECK: error: infer-bounds: axis k of stage "S" runs from 1 to 0: that is never an iteration
te.func @f(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<0xf32>) {
  %S = schedule.stage "S" (%i = 0) reduce (%k = 1 to 0) : tensor<0xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[0] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<0xf32>
}
