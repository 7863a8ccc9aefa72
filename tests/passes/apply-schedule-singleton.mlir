// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s
// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s --check-prefix=BOUNDS

// A stage without data axes gets a loop around the reduction, and another stage is computed there.
te.func @around(%A: tensor<9xf32>) -> (tensor<f32>) {
  %B = te.compute "B" (%i = 9) : tensor<9xf32> {
    %a = te.read %A[%i] : f32
    %b = arith.mulf %a, %a : f32
    te.yield %b : f32
  }
  %S = te.compute "S" () reduce (%k = 9) : tensor<f32> {
    %b = te.read %B[%k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<f32>
}
schedule.sequence @s on @around {
  %S = schedule.get "S"
  %one = schedule.singleton of %S
  %B = schedule.get "B"
  schedule.compute_at %B, %S, %one
}

// CHECK-LABEL: te.func @around
// CHECK-NEXT:   %S = schedule.stage "S" () reduce (%k = 9) : tensor<f32> {
// CHECK-NEXT:     %one = schedule.singleton
// CHECK-NEXT:     schedule.order %one, %k
// CHECK-NEXT:     %B = schedule.stage "B" at %one (%i = 9) : tensor<9xf32>

// BOUNDS-LABEL: te.func @around
// BOUNDS:         schedule.range %one = 0 to 1
// BOUNDS:         schedule.region [0 : 9]

// -----

// It is a data axis: it fuses with the next one, and its loops are that one's.
te.func @joined(%n: index) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n) : tensor<?xf32> {
    %c = arith.constant 1.0 : f32
    te.yield %c : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @joined {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %one = schedule.singleton of %C
  %f = schedule.fuse %one, %i
}

// CHECK-LABEL: te.func @joined
// CHECK:          %one = schedule.singleton
// CHECK-NEXT:     %f = schedule.fuse %one, %i
// CHECK-NEXT:     schedule.order %f

// BOUNDS-LABEL: te.func @joined
// BOUNDS:         schedule.range %f = 0 to %n
