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

// -----

// A comparison of what is clamped holds piece by piece, too: A has no element behind its last.
te.func @clamped_condition(%A: tensor<16xf32>) -> (tensor<32xf32>) {
  %B = schedule.stage "B" (%j = 16) : tensor<16xf32> {
    schedule.order %j
    schedule.equation (%j_1) {
      %a = te.read %A[%j_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%i = 32) : tensor<32xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %zero = arith.constant 0 : index
      %two = arith.constant 2 : index
      %twelve = arith.constant 12 : index
      %before = arith.subi %i_1, %two : index
      %clamped = arith.maxsi %before, %zero : index
      %is_in = arith.cmpi slt, %clamped, %twelve : index
      %0 = scf.if %is_in -> (f32) {
        %1 = te.read %B[%clamped] : f32
        scf.yield %1 : f32
      } else {
        %2 = arith.constant 1.0 : f32
        scf.yield %2 : f32
      }
      te.yield %0 : f32
    }
  }
  te.return %C : tensor<32xf32>
}

// CHECK-LABEL: te.func @clamped_condition
// CHECK:         %B = schedule.stage "B"
// CHECK:           schedule.region [0 : 12]
