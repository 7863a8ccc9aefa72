// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// A stage of an update has its regions unchanged. The equation of what it begins as can be
// inlined, as everywhere.
// CHECK-LABEL: te.func @sums
// CHECK: %S = schedule.stage "S" (%i = 9) reduce (%r = 1 to 9) : tensor<9xf32> {
// CHECK-NEXT: schedule.order %i, %r
// CHECK-NEXT: schedule.update (%r_1) state %s : tensor<9xf32> {
// CHECK-NEXT: %before = te.read %s[%r_1 - 1] : f32
// CHECK-NEXT: te.write %before, %s[%r_1] : f32
// CHECK-NEXT: } init (%i_1) {
// CHECK-NEXT: %b = te.read %A[%i_1 * -1 + 8] : f32
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %B = te.compute "B" (%p = 9) : tensor<9xf32> {
    %b = te.read %A[8 - %p] : f32
    te.yield %b : f32
  }
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %B[%i] : f32
    te.yield %a : f32
  }
  te.return %S : tensor<9xf32>
}
schedule.sequence @inlined on @sums {
  %B = schedule.get "B"
  schedule.compute_inline %B
}
