// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The axis gets the kind, beside others.
te.func @outer(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @outer {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.parallel %i
  schedule.vectorize %j
}

// CHECK-LABEL: te.func @outer
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %i parallel, %j vectorized

// -----

// With a dynamic chunk the axis has a kind of its own.
// CHECK-LABEL: te.func @dynamic
// CHECK: schedule.order %i parallel_dynamic
te.func @dynamic(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @dynamically on @dynamic {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.parallel %i chunk "dynamic"
}
