// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// An extern becomes a stage without axes; its body is unchanged. It can be placed, and have a
// scope; what it takes can be cached.
// CHECK-LABEL: te.func @placed
// CHECK: %A.local = schedule.stage "A.local" in "local" (%ax0 = 8) : tensor<8xf32> {
// CHECK: %C = schedule.stage "C" (%i = 4, %j = 8) : tensor<4x8xf32> {
// CHECK: schedule.order %i, %j
// CHECK-NEXT: %B = schedule.stage "B" at %i in "local" () : tensor<8xf32> {
// CHECK-NEXT: schedule.order none
// CHECK-NEXT: schedule.extern (%b: tensor<8xf32>) {
// CHECK-NEXT: te.buffer %A.local[0 : 8] : memref<8xf32>
// CHECK-NEXT: te.buffer %b[0 : 8] : memref<8xf32>
te.func @placed(%A: tensor<8xf32>) -> (tensor<4x8xf32>) {
  %B = te.extern "B" (%b: tensor<8xf32>) {
    %0 = te.buffer %A[0 : 8] : memref<8xf32>
    %1 = te.buffer %b[0 : 8] : memref<8xf32>
  }
  %C = te.compute "C" (%i = 4, %j = 8) : tensor<4x8xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<4x8xf32>
}
schedule.sequence @s on @placed {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %AL = schedule.cache_read argument 0 "local" readers %B
  %i, %j = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %i
  schedule.set_scope %B "local"
}

// A copy of one of several results has the shape of that.
// CHECK-LABEL: te.func @cached
// CHECK: schedule.stage "B.v1.local" in "local" (%ax0 = %n) : tensor<?xf32> {
te.func @cached(%n: index) -> (tensor<?xf32>) {
  %B, %D = te.extern "B" (%b: tensor<4x4xf32>, %d: tensor<?xf32>[%n]) {
  }
  %C = te.compute "C" (%i = %n) : tensor<?xf32> {
    %d = te.read %D[%i] : f32
    te.yield %d : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @t on @cached {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %DL = schedule.cache_read %B result 1 "local" readers %C
}
