// RUN: teloom-opt %s -p apply-schedule,infer-bounds | filecheck %s
// RUN: teloom-opt %s -p apply-schedule,infer-bounds{mode=hull} | filecheck %s
// RUN: teloom-opt %s -p apply-schedule,infer-bounds{mode=box} | filecheck %s

// A tile of a fused axis that is a row needs a row of the producer, in every mode: as many elements
// as without the fusion. (TVM took the whole of it up to version 0.5.)
// CHECK-LABEL: te.func @rows
// CHECK:         %B = schedule.stage "B" at %fo
// CHECK:           schedule.region {{.*}}[%fo : 1, 0 : 4]
// CHECK-NEXT:      schedule.range %{{.*}} = %fo to %fo + 1
// CHECK-NEXT:      schedule.range %{{.*}} = 0 to 4
// CHECK-NOT:       schedule.guard
te.func @rows(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  %B = te.compute "B" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 4, %j = 4) : tensor<4x4xf32> {
    %b = te.read %B[%i, %j] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<4x4xf32>
}
schedule.sequence @s on @rows {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %f = schedule.fuse %i, %j
  %fo, %fi = schedule.split %f factor 4
  schedule.compute_at %B, %C, %fo
}
