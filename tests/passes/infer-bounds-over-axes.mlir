// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// A reduce axis runs as far as its bounds say where the data axes are. What it reads of B at i is
// no more than that.
te.func @inside(%n: index, %A: tensor<?x?xf32>[%n, %n]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%p = %n, %q = %n) : tensor<?x?xf32> {
    %a = te.read %A[%p, %q] : f32
    te.yield %a : f32
  }
  %S = te.compute "S" (%i = %n) reduce (%k = %i to %n) : tensor<?xf32> {
    %b = te.read %B[%i, %k] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<?xf32>
}
schedule.sequence @s on @inside {
  %S = schedule.get "S"
  %B = schedule.get "B"
  %i, %k = schedule.axes 2 of %S
  schedule.compute_at %B, %S, %i
}

// CHECK-LABEL: te.func @inside
// CHECK:         schedule.stage "S" (%i = %n) reduce (%k = %i to %n) : tensor<?xf32>
// CHECK:         schedule.range %i = 0 to %n
// CHECK-NEXT:    schedule.range %k = %i to %n
// CHECK:         schedule.stage "B" at %i
// CHECK-NEXT:      schedule.order %p, %q
// CHECK-NEXT:      schedule.region [%i : 1, %i : %n - %i]
// CHECK-NEXT:      schedule.range %p = %i to %i + 1
// CHECK-NEXT:      schedule.range %q = %i to %n

// -----

// In loops of reduce axes a data axis keeps the range in which the init region runs; what more is
// known of it is a guard.
te.func @around(%A: tensor<20x20xf32>) -> (tensor<20xf32>) {
  %S = te.compute "S" (%i = 20) reduce (%k = 0 to %i + 1) : tensor<20xf32> {
    %a = te.read %A[%i, %k] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<20xf32>
}
schedule.sequence @s on @around {
  %S = schedule.get "S"
  %i, %k = schedule.axes 2 of %S
  %ko, %ki = schedule.split %k factor 8
  schedule.reorder %ko, %i, %ki
}

// CHECK-LABEL: te.func @around
// CHECK:         schedule.range %ko = 0 to 3
// CHECK-NEXT:    schedule.range %i = 0 to 20
// CHECK-NEXT:    schedule.range %ki = 0 to min(8, %i - %ko * 8 + 1)
// CHECK:         schedule.guard (%i - %ko * 8 >= 0)
