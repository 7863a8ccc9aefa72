// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// An extent that is the constant 0 is that of an empty tensor, or of an empty sum.
// CHECK: schedule.range %k = 0 to 0
te.func @f(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 5 to 5) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %a = arith.constant 1.000000e+00 : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// -----

// Sizes that cancel to 0.
// CHECK: schedule.range %k = 0 to 0
te.func @f(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = %n to %n) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %a = arith.constant 1.000000e+00 : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// -----

// An extent that some size makes positive is legal; for others the axis is empty.
// CHECK: schedule.range %k = 5 to %n + %m
te.func @f(%n: index, %m: index, %A: tensor<?xf32>[%n]) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 5 to %n + %m) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %a = arith.constant 1.000000e+00 : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}
