// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The axis gets the kind; a command given twice is given once.
te.func @inner(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @inner {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.vectorize %j
  schedule.vectorize %j
}

// CHECK-LABEL: te.func @inner
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %i, %j vectorized

// -----

// A part of a split gets it.
te.func @part(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @part {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %jo, %ji = schedule.split %j factor 4
  schedule.vectorize %ji
}

// CHECK-LABEL: te.func @part
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     schedule.order %i, %jo, %ji vectorized
