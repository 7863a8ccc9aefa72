// RUN: teloom-opt %s -p apply-schedule,infer-bounds | filecheck %s

// At each time a step computes just what is read there, and nothing at initial times. Of the
// init only times are needed that there are.
// CHECK-LABEL: te.func @sums
// CHECK: schedule.stage "first"
// CHECK: schedule.guard (%m - 1 >= 0)
// CHECK: schedule.stage "S"
// CHECK: schedule.region [0 : %m, 0 : 4]
// CHECK-NEXT: schedule.range %t_2 = 0 to %m
// CHECK-NEXT: schedule.range %i_2 = 0 to 4
// CHECK: schedule.stage "next" at %t_2
// CHECK: schedule.region [%t_2 : 1, 0 : 4]
// CHECK-NEXT: schedule.range %u = %t_2 to %t_2 + 1
// CHECK-NEXT: schedule.range %j = 0 to 4
// CHECK-NEXT: schedule.guard (%t_2 - 1 >= 0)
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

// A step that reads eight times back can be computed for eight times at once.
// CHECK-LABEL: te.func @eight
// CHECK: schedule.stage "next" at %to
// CHECK: schedule.region [%to * 8 : 8, 0 : 4]
te.func @eight(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = te.compute "first" (%t = 8, %i = 4) : tensor<8x4xf32> {
    %x = arith.constant 1.0 : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = 4) init %first until 8 state %s : tensor<?x4xf32> {
    %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %s[%u - 8, %j] : f32
      %x = te.read %X[%u, %j] : f32
      %new = arith.addf %sum, %x : f32
      te.yield %new : f32
    }
    te.yield %next : tensor<?x4xf32>
  }
  te.return %S : tensor<?x4xf32>
}
schedule.sequence @tiled on @eight {
  %S = schedule.get "S"
  %t, %i = schedule.axes 2 of %S
  %to, %ti = schedule.split %t factor 8
  %next = schedule.get "next"
  schedule.compute_at %next, %S, %to
}

// Of a scan, times up to the last that is read are computed.
// CHECK-LABEL: te.func @placed
// CHECK: schedule.stage "S" at %y
// CHECK: schedule.region [0 : 6]
// CHECK-NEXT: schedule.range %t = 0 to %y + 3
te.func @placed(%X: tensor<1xf32>) -> (tensor<4xf32>) {
  %S = te.scan "S" (%t = 8) init %X until 1 state %s : tensor<8xf32> {
    %next = te.compute "next" (%u = 8) : tensor<8xf32> {
      %0 = te.read %s[%u - 1] : f32
      te.yield %0 : f32
    }
    te.yield %next : tensor<8xf32>
  }
  %C = te.compute "C" (%y = 4) : tensor<4xf32> {
    %0 = te.read %S[%y + 2] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @s on @placed {
  %S = schedule.get "S"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  schedule.compute_at %S, %C, %y
}
