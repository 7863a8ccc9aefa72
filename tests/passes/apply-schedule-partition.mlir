// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The last word on an axis counts, and stays with the stage.
te.func @policies(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @policies {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.never_partition %i, %j
  schedule.always_partition %i
  schedule.partition %j "auto"
}

// CHECK-LABEL: te.func @policies
// CHECK:         schedule.partitioned %i "always"
// CHECK-NEXT:    schedule.partitioned %j "auto"
// CHECK-NEXT:    schedule.order %i, %j

// -----

// The tail of a tile is that of both splits.
te.func @tails(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @tails {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 5, 3 tail "cut"
}

// CHECK-LABEL: te.func @tails
// CHECK:         schedule.split %i factor 5 tail "cut"
// CHECK-NEXT:    schedule.split %j factor 3 tail "cut"
