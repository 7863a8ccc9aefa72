// RUN: teloom-opt %s --split-input-file -p expand-sequences | filecheck %s

// A broadcast reads at some of its axes, in their order, and at 0 on an axis of one element. B reads
// at 0 on another axis, and C at its axes in another order.
te.func @broadcast(%X: tensor<8x1xf32>, %Y: tensor<4xf32>) -> (tensor<4x8xf32>) {
  %A = te.compute "A" (%i = 8, %j = 4) : tensor<8x4xf32> {
    %x = te.read %X[%i, 0] : f32
    %y = te.read %Y[%j] : f32
    %0 = arith.addf %x, %y : f32
    te.yield %0 : f32
  }
  %B = te.compute "B" (%i = 8, %j = 4) : tensor<8x4xf32> {
    %0 = te.read %A[%i, 0] : f32
    te.yield %0 : f32
  }
  %C = te.compute "C" (%i = 4, %j = 8) : tensor<4x8xf32> {
    %0 = te.read %B[%j, %i] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<4x8xf32>
}
schedule.sequence @s on @broadcast {
  schedule.for_each broadcast (%S) {
    schedule.compute_root %S
  }
}

// CHECK-LABEL: schedule.sequence @s on @broadcast {
// CHECK-NEXT:    %S = schedule.get "A"
// CHECK-NEXT:    schedule.compute_root %S
// CHECK-NEXT:  }

// -----

// A scan is no extern, also where its results have shapes of their own and slices are copied.
te.func @code(%m: index, %X: tensor<?xf32>[%m]) -> (tensor<?xf32>, tensor<?x4xf32>) {
  %S, %T = te.scan "S" (%t = %m) state %s, %r : tensor<?xf32>[%m], tensor<?x4xf32>[%m, 4] {
    %a = te.compute "a" (%u = %m) : tensor<?xf32> {
      %0 = te.read %r[%u - 1, 3] : f32
      te.yield %0 : f32
    }
    %b = te.compute "b" (%u = %m, %i = 4) : tensor<?x4xf32> {
      %0 = te.read %s[%u - 1] : f32
      te.yield %0 : f32
    }
    te.yield %a, %b : tensor<?xf32>, tensor<?x4xf32>
  }
  te.return %S, %T : tensor<?xf32>, tensor<?x4xf32>
}
schedule.sequence @s on @code {
  schedule.for_each extern (%S) {
    schedule.compute_root %S
  }
  schedule.for_each scan (%S) {
    %t = schedule.axes 1 of %S
    schedule.unroll %t
  }
}

// CHECK-LABEL: schedule.sequence @s on @code {
// CHECK-NEXT:    %S = schedule.get "S"
// CHECK-NEXT:    %t = schedule.axes 1 of %S
// CHECK-NEXT:    schedule.unroll %t
// CHECK-NEXT:  }
