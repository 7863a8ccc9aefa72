// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// Each point stays with the stage.
// CHECK-LABEL: te.func @ends
// CHECK:         schedule.separated %i at 2
// CHECK-NEXT:    schedule.separated %i at 10
// CHECK-NEXT:    schedule.order %i
te.func @ends(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @ends {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.separate_at %i at 2
  schedule.separate_at %i at 10
}
