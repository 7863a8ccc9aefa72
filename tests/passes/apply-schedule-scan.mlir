// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// A scan is a stage whose outermost loop is time; its steps are computed in that loop, and read
// the state. The equation takes the elements of initial times from the init.
// CHECK-LABEL: te.func @sums
// CHECK: %S = schedule.stage "S" (%t_2 = %m, %i_2 = 4) : tensor<?x4xf32> {
// CHECK-NEXT: schedule.order %t_2, %i_2
// CHECK-NEXT: %s = schedule.state 0 : tensor<?x4xf32>
// CHECK-NEXT: %next = schedule.stage "next" at %t_2 (%u = %m, %j = 4) : tensor<?x4xf32> {
// CHECK-NEXT: schedule.order %u, %j
// CHECK-NEXT: schedule.equation (%u_1, %j_1) {
// CHECK-NEXT: te.read %s[%u_1 - 1, %j_1] : f32
// CHECK: schedule.equation (%t_3, %i_3) {
// CHECK-NEXT: %[[one:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[initial:.*]] = arith.cmpi slt, %t_3, %[[one]] : index
// CHECK-NEXT: scf.if %[[initial]] -> (f32) {
// CHECK-NEXT: te.read %first[%t_3, %i_3] : f32
// CHECK: } else {
// CHECK-NEXT: te.read %next[%t_3, %i_3] : f32
te.func @sums(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    %x = te.read %X[%t, %i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = 4) init %first until 1 state %s : tensor<?x4xf32> {
    %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %s[%u - 1, %j] : f32
      %x = te.read %X[%u, %j] : f32
      %new = arith.addf %sum, %x : f32
      te.yield %new : f32
    }
    te.yield %next : tensor<?x4xf32>
  }
  te.return %S : tensor<?x4xf32>
}

// The first time of the steps can be an expression of sizes. A step that is inlined is part of
// the scan's own equation, which then reads the state.
// CHECK-LABEL: te.func @counted
// CHECK: %s = schedule.state 0 : tensor<8xf32>
// CHECK-NEXT: schedule.equation (%t_1) {
// CHECK-NEXT: %[[until:.*]] = affine.apply affine_map<(d0) -> ((d0 + 1))> (%n)
// CHECK-NEXT: arith.cmpi slt, %t_1, %[[until]] : index
// CHECK: } else {
// CHECK-NEXT: te.read %s[%t_1 - 1] : f32
te.func @counted(%n: index, %X: tensor<8xf32>) -> (tensor<8xf32>) {
  %S = te.scan "S" (%t = 8) init %X until %n + 1 state %s : tensor<8xf32> {
    %next = te.compute "next" (%u = 8) : tensor<8xf32> {
      %0 = te.read %s[%u - 1] : f32
      te.yield %0 : f32
    }
    te.yield %next : tensor<8xf32>
  }
  te.return %S : tensor<8xf32>
}
schedule.sequence @inlined on @counted {
  %next = schedule.get "next"
  schedule.compute_inline %next
}

// A step is placed further in; where time is split, the steps are in the inner loop.
// CHECK-LABEL: te.func @placed
// CHECK: schedule.order %to, %ti, %i
// CHECK-NEXT: %s = schedule.state 0
// CHECK: schedule.stage "next" at %ti
// CHECK-NEXT: schedule.order %u, %j
// CHECK-NEXT: schedule.stage "twice" at %j
te.func @placed(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    %x = te.read %X[%t, %i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = 4) init %first until 1 state %s : tensor<?x4xf32> {
    %twice = te.compute "twice" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %s[%u - 1, %j] : f32
      %two = arith.addf %sum, %sum : f32
      te.yield %two : f32
    }
    %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %twice[%u, %j] : f32
      %x = te.read %X[%u, %j] : f32
      %new = arith.addf %sum, %x : f32
      te.yield %new : f32
    }
    te.yield %next : tensor<?x4xf32>
  }
  te.return %S : tensor<?x4xf32>
}
schedule.sequence @tiled on @placed {
  %S = schedule.get "S"
  %t, %i = schedule.axes 2 of %S
  %to, %ti = schedule.split %t factor 4
  %next = schedule.get "next"
  %u, %j = schedule.axes 2 of %next
  %twice = schedule.get "twice"
  schedule.compute_at %twice, %next, %j
}

// Results of different shapes are copied slice by slice: the axes are those that all have.
// CHECK-LABEL: te.func @shapes
// CHECK: %S, %T = schedule.stage "S" (%t = %m) : tensor<?xf32>, tensor<?x4xf32> {
// CHECK-NEXT: schedule.order %t
// CHECK-NEXT: %s = schedule.state 0 : tensor<?xf32>
// CHECK-NEXT: %r = schedule.state 1 : tensor<?x4xf32>
// CHECK-NEXT: %a = schedule.stage "a" at %t (%u = %m) : tensor<?xf32> {
// CHECK: schedule.extern (%t_1) (%s_1: tensor<?xf32>[%m], %r_1: tensor<?x4xf32>[%m, 4]) {
// CHECK-NEXT: %[[from:.*]] = te.buffer %a[%t_1 : 1] : memref<f32, strided<[], offset: ?>>
// CHECK-NEXT: %[[to:.*]] = te.buffer %s_1[%t_1 : 1] : memref<f32, strided<[], offset: ?>>
// CHECK-NEXT: %[[one:.*]] = memref.load %[[from]][]
// CHECK-NEXT: memref.store %[[one]], %[[to]][]
// CHECK-NEXT: te.buffer %b[%t_1 : 1, 0 : 4] : memref<4xf32, strided<[?], offset: ?>>
// CHECK-NEXT: te.buffer %r_1[%t_1 : 1, 0 : 4] : memref<4xf32, strided<[?], offset: ?>>
// CHECK-NEXT: loop.for %{{.*}} = 0 to 4 {
te.func @shapes(%m: index, %X: tensor<?xf32>[%m]) -> (tensor<?xf32>, tensor<?x4xf32>) {
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
