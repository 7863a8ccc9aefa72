// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// What is stored has the extent that is promised; what the promise asks of sizes is said.
// CHECK-LABEL: te.func @promised
// CHECK:         schedule.bounded %i from 1 extent 32
// CHECK-NEXT:    schedule.order %i
// CHECK-NEXT:    schedule.region [1 : 32]
// CHECK:         schedule.promised (%n * -1 + 32 >= 0)
te.func @promised(%n: index, %A: tensor<?xf32>[%n + 2]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n + 2) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = %n) : tensor<?xf32> {
    %b = te.read %B[%i + 1] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @promised {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  schedule.bound %i from 0 extent 16
  schedule.bound %i from 1 extent 32
}

// -----

// At its place, a region of six elements, from 1 on, is in two or three blocks of four.
// CHECK-LABEL: te.func @blocks
// CHECK:         schedule.region [%io * 4 + %io floordiv 2 * 4 : 12]
// CHECK-NEXT:    schedule.range %{{.*}} = %io * 4 + %io floordiv 2 * 4 to %io * 8 - %io floordiv 2 * 4 + 8
// CHECK-NOT:     schedule.guard
te.func @blocks(%A: tensor<66xf32>) -> (tensor<60xf32>) {
  %B = te.compute "B" (%i = 66) : tensor<66xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 60) : tensor<60xf32> {
    %b = te.read %B[%i + 1] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<60xf32>
}
schedule.sequence @s on @blocks {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 6
  schedule.compute_at %B, %C, %io
  %j = schedule.axes 1 of %B
  schedule.align_bounds %j modulus 4
}
