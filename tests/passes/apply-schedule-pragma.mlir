// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,build-loops | filecheck %s

// The last note of a name counts. What is noted on an axis stays with the outermost loop of those
// that replace it.
// CHECK-LABEL: func.func @notes
// CHECK:      loop.for %io = 0 to 3 attributes {loop.pragmas = {mine = "kept", count = 4 : i64, explicit = true}} {
// CHECK-NEXT:   loop.for %ii = 0 to 4 {
// CHECK-NEXT:     loop.for %j = 0 to 8 vectorized attributes {loop.pragmas = {mine = 2.500000e+00 : f64}} {
te.func @notes(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @notes {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.pragma %i "mine" = "kept"
  schedule.pragma %i "count" = 2 : i64
  schedule.pragma %i "count" = 3 : i64
  schedule.pragma %j "mine" = 2.5
  schedule.vectorize %j
  %io, %ii = schedule.split %i factor 4
  schedule.pragma %io "count" = 4 : i64
  schedule.pragma %io "explicit"
}
