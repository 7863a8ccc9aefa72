// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s
// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{mode=hull}' | filecheck %s --check-prefix=HULL

// An element of a scan lives from the time that writes it to the last time of which a step
// reads it, or to the end if others read it. Times that do not live together share memory.

// A step that is computed for all of a time reads the time before, until the first element of
// its own is written: one row has place for both.
te.func @whole_rows(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = schedule.stage "S" folded axis 0 (%t = %m + 2, %x = 8) : tensor<?x8xf32> {
    schedule.order %t, %x
    %s = schedule.state 0 : tensor<?x8xf32>
    %next = schedule.stage "next" at %t (%u = %m + 2, %j = 8) : tensor<?x8xf32> {
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

// CHECK-LABEL: te.func @whole_rows
// CHECK:         schedule.stage "S" folded axis 0 factor 1 (
// CHECK:           schedule.region [0 : %m + 2, 0 : 8]

// -----

// Element by element the step reads what the same time overwrites: two rows.
te.func @elements(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = schedule.stage "S" folded axis 0 (%t = %m + 2, %x = 8) : tensor<?x8xf32> {
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

// CHECK-LABEL: te.func @elements
// CHECK:         schedule.stage "S" folded axis 0 factor 2 (
// CHECK:         schedule.region [0 : %m + 2, 0 : 8]

// -----

// So it does where it is a part of the scan's own equation; and two times back, three rows.
te.func @inlined(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = schedule.stage "S" folded axis 0 (%t = %m + 2, %x = 8) : tensor<?x8xf32> {
    schedule.order %t, %x
    %s = schedule.state 0 : tensor<?x8xf32>
    schedule.equation (%t_1, %x_1) {
      %0 = arith.constant 2 : index
      %1 = arith.cmpi slt, %t_1, %0 : index
      %2 = scf.if %1 -> (f32) {
        %3 = te.read %X[%t_1, %x_1] : f32
        scf.yield %3 : f32
      } else {
        %a = te.read %s[%t_1 - 2, %x_1] : f32
        %b = te.read %s[%t_1 - 2, %x_1 mod 4] : f32
        %c = arith.addf %a, %b : f32
        scf.yield %c : f32
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

// CHECK-LABEL: te.func @inlined
// CHECK:         schedule.stage "S" folded axis 0 factor 3 (
// CHECK:         schedule.region [0 : %m + 2, 0 : 8]

// -----

// Two times in one step read two earlier ones first: two rows.
te.func @two_at_once(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = schedule.stage "S" folded axis 0 (%t = %m + 2, %x = 8) : tensor<?x8xf32> {
    %to, %ti = schedule.split %t factor 2
    schedule.order %to, %ti, %x
    %s = schedule.state 0 : tensor<?x8xf32>
    %next = schedule.stage "next" at %to (%u = %m + 2, %j = 8) : tensor<?x8xf32> {
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

// CHECK-LABEL: te.func @two_at_once
// CHECK:         schedule.stage "S" folded axis 0 factor 2 (
// CHECK:         schedule.region [0 : %m + 2, 0 : 8]

// -----

// A factor that the user gives may be larger.
te.func @larger(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = schedule.stage "S" folded axis 0 factor 4 (%t = %m + 2, %x = 8) : tensor<?x8xf32> {
    schedule.order %t, %x
    %s = schedule.state 0 : tensor<?x8xf32>
    %next = schedule.stage "next" at %t (%u = %m + 2, %j = 8) : tensor<?x8xf32> {
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

// CHECK-LABEL: te.func @larger
// CHECK:         schedule.stage "S" folded axis 0 factor 4 (
// CHECK:         schedule.region [0 : %m + 2, 0 : 8]

// -----

// Three times are read after the last one, and with them no fewer rows are stored. At each of
// them just the columns of the tile are stored.
te.func @afterwards(%X: tensor<1x8xf32>) -> (tensor<3x8xf32>) {
  %C = schedule.stage "C" (%y = 3, %x = 8) : tensor<3x8xf32> {
    %xo, %xi = schedule.split %x factor 4
    schedule.order %xo, %y, %xi
    %S = schedule.stage "S" at %xo folded axis 0 (%t = 20, %x_1 = 8) : tensor<20x8xf32> {
      schedule.order %t, %x_1
      %s = schedule.state 0 : tensor<20x8xf32>
      %next = schedule.stage "next" at %t (%u = 20, %j = 8) : tensor<20x8xf32> {
        schedule.order %u, %j
        schedule.equation (%u_1, %j_1) {
          %a = te.read %s[%u_1 - 1, %j_1] : f32
          te.yield %a : f32
        }
      }
      schedule.equation (%t_1, %x_2) {
        %0 = arith.constant 1 : index
        %1 = arith.cmpi slt, %t_1, %0 : index
        %2 = scf.if %1 -> (f32) {
          %3 = te.read %X[%t_1, %x_2] : f32
          scf.yield %3 : f32
        } else {
          %4 = te.read %next[%t_1, %x_2] : f32
          scf.yield %4 : f32
        }
        te.yield %2 : f32
      }
    }
    schedule.equation (%y_1, %x_3) {
      %a = te.read %S[%y_1 + 17, %x_3] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<3x8xf32>
}

// CHECK-LABEL: te.func @afterwards
// CHECK:         schedule.stage "S" at %xo folded axis 0 factor 3 (
// CHECK:           schedule.region [0 : 20, %xo * 4 : 4]

// -----

// In a window each iteration goes on where the one before has ended: it computes one time, for it
// finds those that the step reads. Two are kept, for the reader reads two. A hull holds
// no more: it is of each piece of what is read.
te.func @window(%X: tensor<1x8xf32>) -> (tensor<16x8xf32>) {
  %C = schedule.stage "C" (%y = 16, %x = 8) : tensor<16x8xf32> {
    schedule.order %y, %x
    %S = schedule.stage "S" at %y stored at root folded axis 0, axis 1 (%t = 17, %x_1 = 8) : tensor<17x8xf32> {
      schedule.order %t, %x_1
      %s = schedule.state 0 : tensor<17x8xf32>
      %next = schedule.stage "next" at %t (%u = 17, %j = 8) : tensor<17x8xf32> {
        schedule.order %u, %j
        schedule.equation (%u_1, %j_1) {
          %a = te.read %s[%u_1 - 1, %j_1] : f32
          te.yield %a : f32
        }
      }
      schedule.equation (%t_1, %x_2) {
        %0 = arith.constant 1 : index
        %1 = arith.cmpi slt, %t_1, %0 : index
        %2 = scf.if %1 -> (f32) {
          %3 = te.read %X[%t_1, %x_2] : f32
          scf.yield %3 : f32
        } else {
          %4 = te.read %next[%t_1, %x_2] : f32
          scf.yield %4 : f32
        }
        te.yield %2 : f32
      }
    }
    schedule.equation (%y_1, %x_3) {
      %a = te.read %S[%y_1, %x_3] : f32
      %b = te.read %S[%y_1 + 1, %x_3] : f32
      %c = arith.addf %a, %b : f32
      te.yield %c : f32
    }
  }
  te.return %C : tensor<16x8xf32>
}

// CHECK-LABEL: te.func @window
// CHECK:         schedule.stage "S" at %y stored at root folded axis 0 factor 2 (
// CHECK:           schedule.region [0 : 17, 0 : 8]
// CHECK:           schedule.guard (%t - %y - 1 == 0) or (%y == 0)
// CHECK:         schedule.stage "next" at %t
// CHECK:           schedule.guard (%t - %y - 1 == 0)
// HULL-LABEL: te.func @window
// HULL:         schedule.stage "S" at %y
// HULL:           schedule.range %t = 0 to %y + 2
// HULL:         schedule.stage "next" at %t
// HULL:           schedule.guard (%t - %y - 1 == 0)
