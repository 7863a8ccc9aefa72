// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// Sixteen threads for ten iterations: the schedule asks for a guard, and six threads are idle.
// CHECK-LABEL: te.func @idle
// CHECK: schedule.range %io = 0 to 16
// CHECK: schedule.guard (%io * -1 + 9 >= 0)
te.func @idle(%A: tensor<10xf32>) -> (tensor<10xf32>) {
  %B = te.compute "B" (%i = 10) : tensor<10xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<10xf32>
}
schedule.sequence @s on @idle {
  %B = schedule.get "B"
  %i = schedule.axes 1 of %B
  %io, %ii = schedule.split %i nparts 16 tail "guard"
  schedule.bind %io "threadIdx.x" extent 16
}
