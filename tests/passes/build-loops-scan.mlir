// RUN: teloom-opt %s -p build-loops | filecheck %s

// The steps stand in the loop of time, with storage for one step, and read the result's own
// storage; then the element of that time is stored.
// CHECK-LABEL: func.func @sums
// CHECK: %S_1 = loop.bind %S [0 : %m, 0 : 4]
// CHECK: loop.for %t = 0 to %m {
// CHECK-NEXT: %next = loop.realize "next" [%t : 1, 0 : 4] : !loop.tensor<2, f32>
// CHECK-NEXT: loop.if (%t - 1 >= 0) {
// CHECK-NEXT: loop.for %j = 0 to 4 {
// CHECK-NEXT: %sum = loop.load %S_1[%t - 1, %j] : f32
// CHECK: loop.store %new, %next[%t, %j] : f32
// CHECK: loop.for %i_1 = 0 to 4 {
// CHECK: loop.load %first[%t, %i_1] : f32
// CHECK: loop.load %next[%t, %i_1] : f32
// CHECK: loop.store %{{.*}}, %S_1[%t, %i_1] : f32
te.func @sums(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = schedule.stage "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    schedule.order %t, %i
    schedule.region [0 : 1, 0 : 4]
    schedule.range %t = 0 to 1
    schedule.range %i = 0 to 4
    schedule.guard (%m - 1 >= 0)
    schedule.equation (%t_1, %i_1) {
      %x = te.read %X[%t_1, %i_1] : f32
      te.yield %x : f32
    }
  }
  %S = schedule.stage "S" (%t_2 = %m, %i_2 = 4) : tensor<?x4xf32> {
    schedule.order %t_2, %i_2
    schedule.region [0 : %m, 0 : 4]
    schedule.range %t_2 = 0 to %m
    schedule.range %i_2 = 0 to 4
    %s = schedule.state 0 : tensor<?x4xf32>
    %next = schedule.stage "next" at %t_2 (%u = %m, %j = 4) : tensor<?x4xf32> {
      schedule.order %u, %j
      schedule.region [%t_2 : 1, 0 : 4]
      schedule.range %u = %t_2 to %t_2 + 1
      schedule.range %j = 0 to 4
      schedule.guard (%t_2 - 1 >= 0)
      schedule.equation (%u_1, %j_1) {
        %sum = te.read %s[%u_1 - 1, %j_1] : f32
        %x = te.read %X[%u_1, %j_1] : f32
        %new = arith.addf %sum, %x : f32
        te.yield %new : f32
      }
    }
    schedule.equation (%t_3, %i_3) {
      %0 = arith.constant 1 : index
      %1 = arith.cmpi slt, %t_3, %0 : index
      %2 = scf.if %1 -> (f32) {
        %3 = te.read %first[%t_3, %i_3] : f32
        scf.yield %3 : f32
      } else {
        %4 = te.read %next[%t_3, %i_3] : f32
        scf.yield %4 : f32
      }
      te.yield %2 : f32
    }
  }
  te.return %S : tensor<?x4xf32>
}

// Both results are stored, though one is read by the steps alone.
// CHECK-LABEL: func.func @two
// CHECK: %S = loop.realize "S" [0 : 8] : !loop.tensor<1, f32>
// CHECK-NEXT: %T = loop.realize "S" [0 : 8] : !loop.tensor<1, i32>
// CHECK-NEXT: loop.for %t = 0 to 8 {
// CHECK: loop.load %S[%t - 1] : f32
// CHECK-NEXT: loop.load %T[%t - 1] : i32
// CHECK: loop.store %{{.*}}, %S[%t] : f32
// CHECK-NEXT: loop.store %{{.*}}, %T[%t] : i32
te.func @two(%X: tensor<1xf32>, %Y: tensor<1xi32>) -> (tensor<8xf32>) {
  %S, %T = schedule.stage "S" (%t = 8) : tensor<8xf32>, tensor<8xi32> {
    schedule.order %t
    schedule.region [0 : 8]
    schedule.range %t = 0 to 8
    %s = schedule.state 0 : tensor<8xf32>
    %c = schedule.state 1 : tensor<8xi32>
    %a, %b = schedule.stage "step" at %t (%u = 8) : tensor<8xf32>, tensor<8xi32> {
      schedule.order %u
      schedule.region [%t : 1]
      schedule.range %u = %t to %t + 1
      schedule.guard (%t - 1 >= 0)
      schedule.equation (%u_1) {
        %0 = te.read %s[%u_1 - 1] : f32
        %1 = te.read %c[%u_1 - 1] : i32
        %2 = arith.sitofp %1 : i32 to f32
        %3 = arith.addf %0, %2 : f32
        te.yield %3, %1 : f32, i32
      }
    }
    schedule.equation (%t_1) {
      %4 = arith.constant 1 : index
      %5 = arith.cmpi slt, %t_1, %4 : index
      %6, %7 = scf.if %5 -> (f32, i32) {
        %8 = te.read %X[%t_1] : f32
        %9 = te.read %Y[%t_1] : i32
        scf.yield %8, %9 : f32, i32
      } else {
        %10 = te.read %a[%t_1] : f32
        %11 = te.read %b[%t_1] : i32
        scf.yield %10, %11 : f32, i32
      }
      te.yield %6, %7 : f32, i32
    }
  }
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    schedule.order %i
    schedule.region [0 : 8]
    schedule.range %i = 0 to 8
    schedule.equation (%i_1) {
      %12 = te.read %S[%i_1] : f32
      te.yield %12 : f32
    }
  }
  te.return %C : tensor<8xf32>
}
