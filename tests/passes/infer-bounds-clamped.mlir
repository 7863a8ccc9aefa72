// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// A subscript that is clamped to a tensor of symbolic size is followed piece by piece: two columns
// at the edges, three elsewhere.
te.func @clamped(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) : tensor<?xf32> {
    schedule.order %i
    %B = schedule.stage "B" at %i (%j = %n) : tensor<?xf32> {
      schedule.order %j
      schedule.equation (%j_1) {
        %a = te.read %A[%j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%i_1) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %last = arith.subi %n, %one : index
      %before = arith.subi %i_1, %one : index
      %left = arith.maxsi %before, %zero : index
      %after = arith.addi %i_1, %one : index
      %right = arith.minsi %after, %last : index
      %0 = te.read %B[%left] : f32
      %1 = te.read %B[%right] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @clamped
// CHECK:         %B = schedule.stage "B" at %i
// CHECK:           schedule.region [%i - 1 : 3]
// CHECK-NEXT:      schedule.range %j = max(0, %i - 1) to min(%i + 2, %n)
// CHECK-NEXT:      schedule.guard (%j - %i - 1 == 0) or (%j - %i + 1 == 0) or (%i == 0) or (%i - %n + 1 == 0)
