// RUN: not teloom-opt %s -p infer-bounds --split-input-file 2>&1 | filecheck %s

// CHECK: error: infer-bounds: stage "next" at [1, 0] reads S[1, 0] before time 1 of S is computed; a step can read earlier times only (here m = 2)
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
        %sum = te.read %s[%u_1, %j_1] : f32
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

// -----

// CHECK: error: infer-bounds: when m >= 2: stage "next" at [1, 0] reads S[-1, 0], but axis 0 of S runs from 0 to 1; next[1, 0] is read by S[1, 0] (here m = 2)
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
        %sum = te.read %s[%u_1 - 2, %j_1] : f32
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

// -----

// Nothing is known of a time that is computed from data, unless the program promises it.
// CHECK: error: infer-bounds: stage "next" at [1, 0] reads S[?, 0] before time 1 of S is computed; a step can read earlier times only (here m = 2)
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
        %near = te.read %s[%u_1 - 1, %j_1] : f32
        %number = arith.fptosi %near : f32 to i64
        %at = arith.index_cast %number : i64 to index
        %sum = te.read %s[%at, %j_1] : f32
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

// -----

// Where several times are computed together, all that they read must be there before.
// CHECK: error: infer-bounds: stage "next" at [1, 0] reads S[0, 0] before time 0 of S is computed; a step can read earlier times only (here m = 2)
te.func @sums(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = schedule.stage "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    schedule.order %t, %i
    schedule.equation (%t_1, %i_1) {
      %x = te.read %X[%t_1, %i_1] : f32
      te.yield %x : f32
    }
  }
  %S = schedule.stage "S" (%t_2 = %m, %i_2 = 4) : tensor<?x4xf32> {
    %to, %ti = schedule.split %t_2 factor 4
    schedule.order %to, %ti, %i_2
    %s = schedule.state 0 : tensor<?x4xf32>
    %next = schedule.stage "next" at %to (%u = %m, %j = 4) : tensor<?x4xf32> {
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

// -----

// An extern sees boxes over sizes, so no step of a recurrence can be one.
// CHECK: error: infer-bounds: "next" is an extern and takes a buffer of the state of "S", which has only the elements of earlier times; an equation reads them one by one
te.func @extern() -> (tensor<8xf32>) {
  %S = schedule.stage "S" (%t = 8) : tensor<8xf32> {
    schedule.order %t
    %s = schedule.state 0 : tensor<8xf32>
    %n = schedule.stage "next" at %t () : tensor<8xf32> {
      schedule.order none
      schedule.extern (%o: tensor<8xf32>) {
        %b = te.buffer %s[0 : 1] : memref<1xf32>
      }
    }
    schedule.equation (%p) {
      %a = te.read %n[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %S : tensor<8xf32>
}
