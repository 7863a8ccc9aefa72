// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// Several axes may be unrolled, reduce axes too.
te.func @reduce(%A: tensor<4x3x2xf32>) -> (tensor<4xf32>) {
  %S = te.compute "S" (%i = 4) reduce (%k = 3, %l = 2) : tensor<4xf32> {
    %a = te.read %A[%i, %k, %l] : f32
    te.yield %a : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %S : tensor<4xf32>
}
schedule.sequence @s on @reduce {
  %S = schedule.get "S"
  %i, %k, %l = schedule.axes 3 of %S
  schedule.unroll %l
  schedule.unroll %i
}

// CHECK-LABEL: te.func @reduce
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 3, %l = 2) : tensor<4xf32>
// CHECK-NEXT:     schedule.order %i unrolled, %k, %l unrolled
