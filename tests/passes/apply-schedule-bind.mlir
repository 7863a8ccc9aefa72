// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The axes get the kinds, which go where they go.
te.func @threads(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @threads {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.bind %i "blockIdx.x"
  schedule.bind %j "threadIdx.x"
  schedule.reorder %j, %i
}

// CHECK-LABEL: te.func @threads
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     schedule.order %j threadIdx.x, %i blockIdx.x

// -----

// The extent of the thread axis stays with the axis, behind what it is made by.
te.func @extents(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @extents {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %jo, %ji = schedule.split %j factor 4
  schedule.bind %ji "threadIdx.y" extent 4
  %io, %ii = schedule.split %i factor 3
}

// CHECK-LABEL: te.func @extents
// CHECK-NEXT:   %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32>
// CHECK-NEXT:     %jo, %ji = schedule.split %j factor 4
// CHECK-NEXT:     schedule.extent %ji = 4
// CHECK-NEXT:     %io, %ii = schedule.split %i factor 3
// CHECK-NEXT:     schedule.order %io, %ii, %jo, %ji threadIdx.y

// -----

// The same thread axis again is no second kind.
te.func @twice(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @twice {
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.bind %i "threadIdx.x"
  schedule.bind %i "threadIdx.x"
}

// CHECK-LABEL: te.func @twice
// CHECK:          schedule.order %i threadIdx.x, %j
