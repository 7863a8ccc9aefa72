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

// -----

// So may a reduce axis be: its combiner joins what threads make of it.
// CHECK-LABEL: te.func @columns
// CHECK: schedule.order %ko parallel, %j, %ki
te.func @columns(%A: tensor<64x8xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%j = 8) reduce (%k = 64) : tensor<8xf32> {
    %a = te.read %A[%k, %j] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @columns {
  %C = schedule.get "C"
  %j, %k = schedule.axes 2 of %C
  %ko, %ki = schedule.split %k factor 4
  schedule.reorder %ko, %j, %ki
  schedule.parallel %ko
}
