// RUN: not teloom-opt %s -p infer-bounds --split-input-file 2>&1 | filecheck %s

// Data chooses one of no elements where %n is 0, if there is anything to choose for. The branch
// around the second read is not entered then; of the third, data says whether it is.
// CHECK-LABEL: @sizes
// CHECK: schedule.stage "C"
// CHECK: schedule.promised (%n - 1 >= 0) or (%m == 0, %n == 0) "C reads an element of A that data chooses, but axis 0 of A is empty"
// CHECK-NOT: schedule.promised
te.func @sizes(%n: index, %m: index, %A: tensor<?xf32>[%n], %P: tensor<?xindex>[%m]) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %m) : tensor<?xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %x = te.read %P[%p] : index
      %at = te.bounded %x in 0 to %n
      %a = te.read %A[%at] : f32
      te.yield %a : f32
    }
  }
  %D = schedule.stage "D" (%i = %m) : tensor<?xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %zero = arith.constant 0 : index
      %none = arith.constant 0.0 : f32
      %c = arith.cmpi sgt, %n, %zero : index
      %r = scf.if %c -> (f32) {
        %x = te.read %P[%p] : index
        %at = te.bounded %x in 0 to %n
        %a = te.read %A[%at] : f32
        scf.yield %a : f32
      } else {
        scf.yield %none : f32
      }
      te.yield %r : f32
    }
  }
  %E = schedule.stage "E" (%i = %m) : tensor<?xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %zero = arith.constant 0 : index
      %none = arith.constant 0.0 : f32
      %x = te.read %P[%p] : index
      %c = arith.cmpi sgt, %x, %zero : index
      %r = scf.if %c -> (f32) {
        %at = te.bounded %x in 0 to %n
        %a = te.read %A[%at] : f32
        scf.yield %a : f32
      } else {
        scf.yield %none : f32
      }
      te.yield %r : f32
    }
  }
  te.return %C, %D, %E : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK: error: infer-bounds: C reads an element of A that data chooses, but axis 0 of A is empty
te.func @never(%A: tensor<0xf32>, %P: tensor<3xindex>) -> (tensor<3xf32>) {
  %C = schedule.stage "C" (%i = 3) : tensor<3xf32> {
    schedule.order %i
    schedule.equation (%p) {
      %x = te.read %P[%p] : index
      %at = te.bounded %x in 0 to 0
      %a = te.read %A[%at] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<3xf32>
}
