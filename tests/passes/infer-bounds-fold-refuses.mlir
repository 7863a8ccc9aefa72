// RUN: not teloom-opt %s --split-input-file -p infer-bounds 2>&1 | filecheck %s

// Three rows are needed at the same time.
// CHECK: error: infer-bounds: cannot fold axis i of "B" by 2: B[0, 0] and B[2, 0] would share memory, and both are needed at the same time; the smallest factor is 3
te.func @too_small(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
  %C = schedule.stage "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    schedule.order %y, %x
    %B = schedule.stage "B" at %y stored at root folded axis 0 factor 2 (%i = 66, %j = 64) : tensor<66x64xf32> {
      schedule.order %i, %j
      schedule.equation (%i_1, %j_1) {
        %a = te.read %A[%i_1, %j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%y_1, %x_1) {
      %0 = te.read %B[%y_1, %x_1] : f32
      %1 = te.read %B[%y_1 + 2, %x_1] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64x64xf32>
}

// -----

// A whole row of any length is needed at the same time.
// CHECK: error: infer-bounds: cannot fold axis j of "B" by 8: B[0, 0] and B[0, 8] would share memory, and both are needed at the same time (here n = 9); no factor is large enough
te.func @unbounded(%n: index, %A: tensor<66x?xf32>[66, %n]) -> (tensor<66x?xf32>) {
  %C = schedule.stage "C" (%y = 66, %x = %n) : tensor<66x?xf32> {
    schedule.order %y, %x
    %B = schedule.stage "B" at %y stored at root folded axis 1 factor 8 (%i = 66, %j = %n) : tensor<66x?xf32> {
      schedule.order %i, %j
      schedule.equation (%i_1, %j_1) {
        %a = te.read %A[%i_1, %j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%y_1, %x_1) {
      %0 = te.read %B[%y_1, %x_1] : f32
      te.yield %0 : f32
    }
  }
  te.return %C : tensor<66x?xf32>
}

// -----

// Element by element the step reads what the same time would overwrite.
// CHECK: error: infer-bounds: cannot fold axis t of "S" by 1: S[1, 0] and S[2, 0] would share memory, and both are needed at the same time (here m = 1); the smallest factor is 2
te.func @elements(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = schedule.stage "S" folded axis 0 factor 1 (%t = %m + 2, %x = 8) : tensor<?x8xf32> {
    schedule.order %t, %x
    %s = schedule.state 0 : tensor<?x8xf32>
    %next = schedule.stage "next" at %x (%u = %m + 2, %j = 8) : tensor<?x8xf32> {
      schedule.order %u, %j
      schedule.equation (%u_1, %j_1) {
        %a = te.read %s[%u_1 - 1, %j_1] : f32
        %b = te.read %s[%u_1 - 1, %j_1 mod 4] : f32
        %c = arith.addf %a, %b : f32
        te.yield %c : f32
      }
    }
    schedule.equation (%t_1, %x_1) {
      %0 = arith.constant 2 : index
      %1 = arith.cmpi slt, %t_1, %0 : index
      %2 = scf.if %1 -> (f32) {
        %3 = te.read %X[%t_1, %x_1] : f32
        scf.yield %3 : f32
      } else {
        %4 = te.read %next[%t_1, %x_1] : f32
        scf.yield %4 : f32
      }
      te.yield %2 : f32
    }
  }
  %C = schedule.stage "C" (%y = 1, %x_2 = 8) : tensor<1x8xf32> {
    schedule.order %y, %x_2
    schedule.equation (%y_1, %x_3) {
      %a = te.read %S[%m + 1, %x_3] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<1x8xf32>
}

// -----

// Two times back are needed, though the step is computed for all of a time.
// CHECK: error: infer-bounds: cannot fold axis t of "S" by 1: S[0, 0] and S[1, 0] would share memory, and both are needed at the same time (here m = 1); the smallest factor is 2
te.func @back(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = schedule.stage "S" folded axis 0 factor 1 (%t = %m + 2, %x = 8) : tensor<?x8xf32> {
    schedule.order %t, %x
    %s = schedule.state 0 : tensor<?x8xf32>
    %next = schedule.stage "next" at %t (%u = %m + 2, %j = 8) : tensor<?x8xf32> {
      schedule.order %u, %j
      schedule.equation (%u_1, %j_1) {
        %a = te.read %s[%u_1 - 2, %j_1] : f32
        %b = te.read %s[%u_1 - 2, %j_1 mod 4] : f32
        %c = arith.addf %a, %b : f32
        te.yield %c : f32
      }
    }
    schedule.equation (%t_1, %x_1) {
      %0 = arith.constant 2 : index
      %1 = arith.cmpi slt, %t_1, %0 : index
      %2 = scf.if %1 -> (f32) {
        %3 = te.read %X[%t_1, %x_1] : f32
        scf.yield %3 : f32
      } else {
        %4 = te.read %next[%t_1, %x_1] : f32
        scf.yield %4 : f32
      }
      te.yield %2 : f32
    }
  }
  %C = schedule.stage "C" (%y = 1, %x_2 = 8) : tensor<1x8xf32> {
    schedule.order %y, %x_2
    schedule.equation (%y_1, %x_3) {
      %a = te.read %S[%m + 1, %x_3] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<1x8xf32>
}
