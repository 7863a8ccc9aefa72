// RUN: teloom-opt %s -p forward-inits,infer-bounds | filecheck %s

// The other read of the state finds what an earlier point has written, but for the first one.
// CHECK-LABEL: @running_sums
// CHECK:       schedule.range %a = 0 to 4
// CHECK-NEXT:  schedule.range %b = 0 to 1
// CHECK:       %before = te.read %state[%y, %x - 1] : f32
// CHECK-NEXT:  %{{.*}} = te.read %A[%y, %x] : f32
te.func @running_sums(%A: tensor<4x8xf32>) -> (tensor<4x8xf32>) {
  %S = schedule.stage "S" (%a = 4, %b = 8) reduce (%i = 4, %k = 1 to 8) : tensor<4x8xf32> {
    schedule.order %a, %b, %i, %k
    schedule.update (%y, %x) state %state : tensor<4x8xf32> {
      %before = te.read %state[%y, %x - 1] : f32
      %here = te.read %state[%y, %x] : f32
      %sum = arith.addf %before, %here : f32
      te.write %sum, %state[%y, %x] : f32
    } init (%y, %x) {
      %0 = te.read %A[%y, %x] : f32
      te.yield %0 : f32
    }
  }
  te.return %S : tensor<4x8xf32>
}

// Elements that no point writes begin, too.
// CHECK-LABEL: @first_half
// CHECK:       schedule.range %b = 3 to %n + 3
// CHECK:       te.read %A[%x] : f32
te.func @first_half(%n: index, %A: tensor<?xf32>[%n + 3]) -> (tensor<?xf32>) {
  %S = schedule.stage "S" (%b = %n + 3) reduce (%k = 3) : tensor<?xf32> {
    schedule.order %b, %k
    schedule.update (%x) state %state : tensor<?xf32> {
      %here = te.read %state[%x] : f32
      %twice = arith.addf %here, %here : f32
      te.write %twice, %state[%x] : f32
    } init (%x) {
      %0 = te.read %A[%x] : f32
      te.yield %0 : f32
    }
  }
  te.return %S : tensor<?xf32>
}

// What is written under a condition may stay as it began.
// CHECK-LABEL: @maybe_written
// CHECK:       schedule.range %b = 0 to 8
// CHECK:       te.read %state[%x] : f32
te.func @maybe_written(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %S = schedule.stage "S" (%b = 8) reduce (%k = 8) : tensor<8xf32> {
    schedule.order %b, %k
    schedule.update (%x) state %state : tensor<8xf32> {
      %here = te.read %state[%x] : f32
      %zero = arith.constant 0.0 : f32
      %less = arith.cmpf olt, %here, %zero : f32
      scf.if %less {
        te.write %zero, %state[%x] : f32
      }
    } init (%x) {
      %0 = te.read %A[%x] : f32
      te.yield %0 : f32
    }
  }
  te.return %S : tensor<8xf32>
}

// Each of 4 steps changes all elements: later ones read what earlier ones wrote.
// CHECK-LABEL: @steps
// CHECK:       schedule.range %b = 0 to 8
// CHECK:       te.read %state[%x] : f32
te.func @steps(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %S = schedule.stage "S" (%b = 8) reduce (%t = 4, %k = 8) : tensor<8xf32> {
    schedule.order %b, %t, %k
    schedule.update (%y, %x) state %state : tensor<8xf32> {
      %here = te.read %state[%x] : f32
      %twice = arith.addf %here, %here : f32
      te.write %twice, %state[%x] : f32
    } init (%x) {
      %0 = te.read %A[%x] : f32
      te.yield %0 : f32
    }
  }
  te.return %S : tensor<8xf32>
}

// A temporary that nothing else reads is changed in place: what begins as it is not copied.
// CHECK-LABEL: @of_a_temporary
// CHECK:       schedule.stage "S"
// CHECK:       te.read %state[%x_1 - 1] : f32
// CHECK-NEXT:  %here = te.read %state[%x_1] : f32
te.func @of_a_temporary(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %T = schedule.stage "T" (%t = 8) : tensor<8xf32> {
    schedule.order %t
    schedule.equation (%x) {
      %0 = te.read %A[%x] : f32
      %1 = arith.addf %0, %0 : f32
      te.yield %1 : f32
    }
  }
  %S = schedule.stage "S" (%b = 8) reduce (%k = 1 to 8) : tensor<8xf32> {
    schedule.order %b, %k
    schedule.update (%x) state %state : tensor<8xf32> {
      %before = te.read %state[%x - 1] : f32
      %here = te.read %state[%x] : f32
      %sum = arith.addf %before, %here : f32
      te.write %sum, %state[%x] : f32
    } init (%x) {
      %0 = te.read %T[%x] : f32
      te.yield %0 : f32
    }
  }
  te.return %S : tensor<8xf32>
}
