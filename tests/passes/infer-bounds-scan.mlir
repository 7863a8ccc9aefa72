// RUN: teloom-opt %s -p infer-bounds | filecheck %s

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
  %first = schedule.stage "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    schedule.order %t, %i
    schedule.equation (%t_1, %i_1) {
      %x = te.read %X[%t_1, %i_1] : f32
      te.yield %x : f32
    }
  }
  %S = schedule.stage "S" (%t_2 = %m, %i_2 = 4) : tensor<?x4xf32> {
    schedule.order %t_2, %i_2
    %s = schedule.state 0 : tensor<?x4xf32>
    %next = schedule.stage "next" at %t_2 (%u = %m, %j = 4) : tensor<?x4xf32> {
      schedule.order %u, %j
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

// A step that reads eight times back can be computed for eight times at once.
// CHECK-LABEL: te.func @eight
// CHECK: schedule.stage "next" at %to
// CHECK: schedule.region [%to * 8 : 8, 0 : 4]
te.func @eight(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = schedule.stage "first" (%t = 8, %i = 4) : tensor<8x4xf32> {
    schedule.order %t, %i
    schedule.equation (%t_1, %i_1) {
      %x = arith.constant 1.000000e+00 : f32
      te.yield %x : f32
    }
  }
  %S = schedule.stage "S" (%t_2 = %m, %i_2 = 4) : tensor<?x4xf32> {
    %to, %ti = schedule.split %t_2 factor 8
    schedule.order %to, %ti, %i_2
    %s = schedule.state 0 : tensor<?x4xf32>
    %next = schedule.stage "next" at %to (%u = %m, %j = 4) : tensor<?x4xf32> {
      schedule.order %u, %j
      schedule.equation (%u_1, %j_1) {
        %sum = te.read %s[%u_1 - 8, %j_1] : f32
        %x = te.read %X[%u_1, %j_1] : f32
        %new = arith.addf %sum, %x : f32
        te.yield %new : f32
      }
    }
    schedule.equation (%t_3, %i_3) {
      %0 = arith.constant 8 : index
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

// Of a scan, times up to the last that is read are computed.
// CHECK-LABEL: te.func @placed
// CHECK: schedule.stage "S" at %y
// CHECK: schedule.region [0 : 6]
// CHECK-NEXT: schedule.range %t = 0 to %y + 3
te.func @placed(%X: tensor<1xf32>) -> (tensor<4xf32>) {
  %C = schedule.stage "C" (%y = 4) : tensor<4xf32> {
    schedule.order %y
    %S = schedule.stage "S" at %y (%t = 8) : tensor<8xf32> {
      schedule.order %t
      %s = schedule.state 0 : tensor<8xf32>
      %next = schedule.stage "next" at %t (%u = 8) : tensor<8xf32> {
        schedule.order %u
        schedule.equation (%u_1) {
          %0 = te.read %s[%u_1 - 1] : f32
          te.yield %0 : f32
        }
      }
      schedule.equation (%t_1) {
        %1 = arith.constant 1 : index
        %2 = arith.cmpi slt, %t_1, %1 : index
        %3 = scf.if %2 -> (f32) {
          %4 = te.read %X[%t_1] : f32
          scf.yield %4 : f32
        } else {
          %5 = te.read %next[%t_1] : f32
          scf.yield %5 : f32
        }
        te.yield %3 : f32
      }
    }
    schedule.equation (%y_1) {
      %6 = te.read %S[%y_1 + 2] : f32
      te.yield %6 : f32
    }
  }
  te.return %C : tensor<4xf32>
}
