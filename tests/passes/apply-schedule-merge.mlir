// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The loops have to begin and to end together.
te.func @merged(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>, tensor<12x4xf32>) {
  %B = te.compute "B" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12, %x = 4) : tensor<12x4xf32> {
    %a = te.read %A[%y, %x] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<12x8xf32>, tensor<12x4xf32>
}
schedule.sequence @s on @merged {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %B
  %y, %x = schedule.axes 2 of %C
  %z = schedule.shift %y by 5
  schedule.merge %i, %C, %z
}

// CHECK-LABEL: te.func @merged
// CHECK:         schedule.stage "B" (
// CHECK:         schedule.stage "C" sharing 1 align [equal] (
