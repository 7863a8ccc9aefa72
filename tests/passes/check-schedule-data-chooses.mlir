// RUN: not teloom-opt %s -p check-schedule --split-input-file 2>&1 | filecheck %s

// A call checks what is promised: there is an element of A, or there is nothing to compute.
// CHECK-LABEL: @promised
te.func @promised(%n: index, %m: index, %A: tensor<?xf32>[%n], %P: tensor<?xindex>[%m]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %m) : tensor<?xf32> {
    schedule.order %i
    schedule.region [0 : %m]
    schedule.range %i = 0 to %m
    schedule.promised (%n - 1 >= 0) or (%m == 0, %n == 0) "C reads an element of A"
    schedule.equation (%p) {
      %x = te.read %P[%p] : index
      %a = te.read %A[%x] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// -----

// CHECK: error: check-schedule: C reads an element of A that data chooses, but axis 0 of A is empty, and no schedule.promised says it is not
te.func @not_promised(%n: index, %m: index, %A: tensor<?xf32>[%n], %P: tensor<?xindex>[%m]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %m) : tensor<?xf32> {
    schedule.order %i
    schedule.region [0 : %m]
    schedule.range %i = 0 to %m
    schedule.equation (%p) {
      %x = te.read %P[%p] : index
      %a = te.read %A[%x] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}
