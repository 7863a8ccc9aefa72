// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The split becomes a relation of the stage; outer and inner take the axis' place in the order.
te.func @factor(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @factor {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %ii = schedule.split %i factor 4
}

// CHECK-LABEL: te.func @factor
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:     schedule.order %io, %ii, %j

// -----

// With nparts the number of outer iterations is given.
te.func @nparts(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @nparts {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %jo, %ji = schedule.split %j nparts 2
}

// CHECK-LABEL: te.func @nparts
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %jo, %ji = schedule.split %j nparts 2
// CHECK-NEXT:     schedule.order %i, %jo, %ji

// -----

// A part can be split again; relations keep the order of the commands.
te.func @again(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @again {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %ii = schedule.split %i factor 4
  %iio, %iii = schedule.split %ii factor 2
  %ioo, %ioi = schedule.split %io nparts 3
}

// CHECK-LABEL: te.func @again
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 4
// CHECK-NEXT:     %iio, %iii = schedule.split %ii factor 2
// CHECK-NEXT:     %ioo, %ioi = schedule.split %io nparts 3
// CHECK-NEXT:     schedule.order %ioo, %ioi, %iio, %iii, %j
