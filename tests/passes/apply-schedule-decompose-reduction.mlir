// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,build-loops | filecheck %s

// Elements are set in front of the loop that takes the place of ii, in loops of their own.
te.func @mm(%A: tensor<8x4xf32>, %B: tensor<4x6xf32>) -> (tensor<8x6xf32>) {
  %C = te.compute "C" (%i = 8, %j = 6) reduce (%k = 4) : tensor<8x6xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x6xf32>
}
schedule.sequence @s on @mm {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %ii = schedule.split %i factor 4
  schedule.decompose_reduction %ii
  %ia, %ib = schedule.split %ii factor 2
  schedule.vectorize %j
}

// CHECK-LABEL: func.func @mm
// CHECK:         loop.for %io = 0 to 2 {
// CHECK-NEXT:      loop.for %ia = 0 to 2 {
// CHECK-NEXT:        loop.for %ib = 0 to 2 {
// CHECK-NEXT:          loop.for %j = 0 to 6 vectorized {
// CHECK-NEXT:            {{.*}} = arith.constant
// CHECK-NEXT:            loop.init
// CHECK:           loop.for %ia_1 = 0 to 2 {
// CHECK-NEXT:        loop.for %ib_1 = 0 to 2 {
// CHECK-NEXT:          loop.for %j_1 = 0 to 6 vectorized {
// CHECK-NEXT:            loop.for %k = 0 to 4 {
// CHECK-NOT:         loop.init

// -----

// The last one counts; at the first reduce axis it is as without the command.
te.func @mm(%A: tensor<8x4xf32>, %B: tensor<4x6xf32>) -> (tensor<8x6xf32>) {
  %C = te.compute "C" (%i = 8, %j = 6) reduce (%k = 4) : tensor<8x6xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8x6xf32>
}
schedule.sequence @s on @mm {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  schedule.decompose_reduction %i
  schedule.decompose_reduction %k
}

// CHECK-LABEL: func.func @mm
// CHECK:         loop.for %i = 0 to 8 {
// CHECK-NEXT:      loop.for %j = 0 to 6 {
// CHECK-NEXT:        {{.*}} = arith.constant
// CHECK-NEXT:        loop.init
// CHECK-NEXT:        loop.for %k = 0 to 4 {
