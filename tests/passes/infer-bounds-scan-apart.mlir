// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s
// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{mode=hull}' | filecheck %s --check-prefix=HULL
// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{mode=box}' | filecheck %s --check-prefix=BOX

// Along an axis that the steps keep apart, a scan is computed just where it is read at its place:
// and with it its steps, and its init. Of time, up to the last that is read.

// Sums of each column: a tile of columns needs those of the same columns, of times up to 5.
te.func @columns(%X: tensor<9x32xf32>) -> (tensor<6x32xf32>) {
  %C = schedule.stage "C" (%t = 6, %x = 32) : tensor<6x32xf32> {
    %xo, %xi = schedule.split %x factor 8
    schedule.order %xo, %t, %xi
    %first = schedule.stage "first" at %xo (%t_1 = 1, %x_1 = 32) : tensor<1x32xf32> {
      schedule.order %t_1, %x_1
      schedule.equation (%t_2, %x_2) {
        %a = te.read %X[%t_2, %x_2] : f32
        te.yield %a : f32
      }
    }
    %S = schedule.stage "S" at %xo (%t_3 = 9, %x_3 = 32) : tensor<9x32xf32> {
      schedule.order %t_3, %x_3
      %s = schedule.state 0 : tensor<9x32xf32>
      %next = schedule.stage "next" at %t_3 (%n = 9, %j = 32) : tensor<9x32xf32> {
        schedule.order %n, %j
        schedule.equation (%n_1, %j_1) {
          %a = te.read %s[%n_1 - 1, %j_1] : f32
          %b = te.read %X[%n_1, %j_1] : f32
          %c = arith.addf %a, %b : f32
          te.yield %c : f32
        }
      }
      schedule.equation (%t_4, %x_4) {
        %0 = arith.constant 1 : index
        %1 = arith.cmpi slt, %t_4, %0 : index
        %2 = scf.if %1 -> (f32) {
          %3 = te.read %first[%t_4, %x_4] : f32
          scf.yield %3 : f32
        } else {
          %4 = te.read %next[%t_4, %x_4] : f32
          scf.yield %4 : f32
        }
        te.yield %2 : f32
      }
    }
    schedule.equation (%t_5, %x_5) {
      %a = te.read %S[%t_5, %x_5] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<6x32xf32>
}

// CHECK-LABEL: te.func @columns
// CHECK:         schedule.stage "first" at %xo
// CHECK:           schedule.region [0 : 1, %xo * 8 : 8]
// CHECK:         schedule.stage "S" at %xo
// CHECK:           schedule.region [0 : 6, %xo * 8 : 8]
// CHECK:           schedule.range %t_3 = 0 to 6
// CHECK:         schedule.stage "next" at %t_3
// CHECK:           schedule.region [%t_3 : 1, %xo * 8 : 8]
// HULL-LABEL: te.func @columns
// HULL:         schedule.stage "S" at %xo
// HULL:           schedule.region hull [0 : 6, %xo * 8 : 8]
// BOX-LABEL: te.func @columns
// BOX:          schedule.stage "S" at %xo
// BOX:            schedule.region box [0 : 6, %xo * 8 : 8]

// -----

// A tile of C is read at times from yo * 4 on: all earlier ones are computed with it.
te.func @times(%X: tensor<1xf32>) -> (tensor<16xf32>) {
  %C = schedule.stage "C" (%y = 16) : tensor<16xf32> {
    %yo, %yi = schedule.split %y factor 4
    schedule.order %yo, %yi
    %S = schedule.stage "S" at %yo (%t = 16) : tensor<16xf32> {
      schedule.order %t
      %s = schedule.state 0 : tensor<16xf32>
      %next = schedule.stage "next" at %t (%n = 16) : tensor<16xf32> {
        schedule.order %n
        schedule.equation (%n_1) {
          %a = te.read %s[%n_1 - 1] : f32
          te.yield %a : f32
        }
      }
      schedule.equation (%t_1) {
        %0 = arith.constant 1 : index
        %1 = arith.cmpi slt, %t_1, %0 : index
        %2 = scf.if %1 -> (f32) {
          %3 = te.read %X[%t_1] : f32
          scf.yield %3 : f32
        } else {
          %4 = te.read %next[%t_1] : f32
          scf.yield %4 : f32
        }
        te.yield %2 : f32
      }
    }
    schedule.equation (%y_1) {
      %a = te.read %S[%y_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<16xf32>
}

// CHECK-LABEL: te.func @times
// CHECK:         schedule.stage "S" at %yo
// CHECK:           schedule.range %t = 0 to %yo * 4 + 4

// -----

// Two steps, of which one looks a column to the left of where the other finds it, and two states:
// what is read of columns comes back to the same one. Rows meet in the sums over k.
te.func @steps(%A: tensor<1x8x16xf32>, %B: tensor<1x8x16xf32>) -> (tensor<5x8x16xf32>) {
  %C = schedule.stage "C" (%t = 5, %y = 8, %x = 16) : tensor<5x8x16xf32> {
    schedule.order %y, %x, %t
    %S, %S_1 = schedule.stage "S" at %x (%t_1 = 5, %y_1 = 8, %x_1 = 16) : tensor<5x8x16xf32>, tensor<5x8x16xf32> {
      schedule.order %t_1, %y_1, %x_1
      %p = schedule.state 0 : tensor<5x8x16xf32>
      %q = schedule.state 1 : tensor<5x8x16xf32>
      %u = schedule.stage "u" at %t_1 (%n = 5, %i = 8, %j = 17) reduce (%k = 8) : tensor<5x8x17xf32> {
        schedule.order %n, %i, %j, %k
        schedule.equation (%n_1, %i_1, %j_1, %k_1) {
          %a = te.read %p[%n_1 - 1, %k_1, %j_1 - 1] : f32
          te.yield %a : f32
        } combine (%a_1: f32, %b: f32) identity [0.000000e+00 : f32] {
          %c = arith.addf %a_1, %b : f32
          te.yield %c : f32
        }
      }
      %v = schedule.stage "v" at %t_1 (%n_2 = 5, %i_2 = 8, %j_2 = 16) : tensor<5x8x16xf32> {
        schedule.order %n_2, %i_2, %j_2
        schedule.equation (%n_3, %i_3, %j_3) {
          %a_2 = te.read %u[%n_3, %i_3, %j_3 + 1] : f32
          %b_1 = te.read %q[%n_3 - 1, %i_3, %j_3] : f32
          %c_1 = arith.addf %a_2, %b_1 : f32
          te.yield %c_1 : f32
        }
      }
      %w = schedule.stage "w" at %t_1 (%n_4 = 5, %i_4 = 8, %j_4 = 16) : tensor<5x8x16xf32> {
        schedule.order %n_4, %i_4, %j_4
        schedule.equation (%n_5, %i_5, %j_5) {
          %a_3 = te.read %p[%n_5 - 1, %i_5, %j_5] : f32
          te.yield %a_3 : f32
        }
      }
      schedule.equation (%t_2, %y_2, %x_2) {
        %0 = arith.constant 1 : index
        %1 = arith.cmpi slt, %t_2, %0 : index
        %2, %3 = scf.if %1 -> (f32, f32) {
          %4 = te.read %A[%t_2, %y_2, %x_2] : f32
          %5 = te.read %B[%t_2, %y_2, %x_2] : f32
          scf.yield %4, %5 : f32, f32
        } else {
          %6 = te.read %v[%t_2, %y_2, %x_2] : f32
          %7 = te.read %w[%t_2, %y_2, %x_2] : f32
          scf.yield %6, %7 : f32, f32
        }
        te.yield %2, %3 : f32, f32
      }
    }
    schedule.equation (%t_3, %y_3, %x_3) {
      %a_4 = te.read %S_1[%t_3, %y_3, %x_3] : f32
      te.yield %a_4 : f32
    }
  }
  te.return %C : tensor<5x8x16xf32>
}

// CHECK-LABEL: te.func @steps
// CHECK:         schedule.stage "S" at %x
// CHECK:           schedule.region [0 : 5, 0 : 8, %x : 1]
// CHECK:         schedule.stage "u" at
// CHECK:           schedule.region [%t_1 : 1, 0 : 8, %x + 1 : 1]
// CHECK:         schedule.stage "v" at
// CHECK:           schedule.region [%t_1 : 1, 0 : 8, %x : 1]

// -----

// One read of a neighbour, though in one branch only, and all columns are needed. A transpose
// keeps nothing apart either.
te.func @together(%X: tensor<1x8x8xf32>) -> (tensor<5x8x8xf32>) {
  %C = schedule.stage "C" (%t = 5, %y = 8, %x = 8) : tensor<5x8x8xf32> {
    schedule.order %y, %x, %t
    %S = schedule.stage "S" at %x (%t_1 = 5, %y_1 = 8, %x_1 = 8) : tensor<5x8x8xf32> {
      schedule.order %t_1, %y_1, %x_1
      %s = schedule.state 0 : tensor<5x8x8xf32>
      %next = schedule.stage "next" at %t_1 (%n = 5, %i = 8, %j = 8) : tensor<5x8x8xf32> {
        schedule.order %n, %i, %j
        schedule.equation (%n_1, %i_1, %j_1) {
          %a = te.read %s[%n_1 - 1, %j_1, %i_1] : f32
          te.yield %a : f32
        }
      }
      schedule.equation (%t_2, %y_2, %x_2) {
        %0 = arith.constant 1 : index
        %1 = arith.cmpi slt, %t_2, %0 : index
        %2 = scf.if %1 -> (f32) {
          %3 = te.read %X[%t_2, %y_2, %x_2] : f32
          scf.yield %3 : f32
        } else {
          %4 = te.read %next[%t_2, %y_2, %x_2] : f32
          scf.yield %4 : f32
        }
        te.yield %2 : f32
      }
    }
    %R = schedule.stage "R" at %x (%t_3 = 5, %y_3 = 8, %x_3 = 8) : tensor<5x8x8xf32> {
      schedule.order %t_3, %y_3, %x_3
      %s_1 = schedule.state 0 : tensor<5x8x8xf32>
      %after = schedule.stage "after" at %t_3 (%n_2 = 5, %i_2 = 8, %j_2 = 8) : tensor<5x8x8xf32> {
        schedule.order %n_2, %i_2, %j_2
        schedule.equation (%n_3, %i_3, %j_3) {
          %seven = arith.constant 7 : index
          %last = arith.cmpi eq, %j_3, %seven : index
          %a_1 = scf.if %last -> (f32) {
            %b = te.read %s_1[%n_3 - 1, %i_3, 0] : f32
            scf.yield %b : f32
          } else {
            %b_1 = te.read %s_1[%n_3 - 1, %i_3, %j_3] : f32
            scf.yield %b_1 : f32
          }
          te.yield %a_1 : f32
        }
      }
      schedule.equation (%t_4, %y_4, %x_4) {
        %5 = arith.constant 1 : index
        %6 = arith.cmpi slt, %t_4, %5 : index
        %7 = scf.if %6 -> (f32) {
          %8 = te.read %X[%t_4, %y_4, %x_4] : f32
          scf.yield %8 : f32
        } else {
          %9 = te.read %after[%t_4, %y_4, %x_4] : f32
          scf.yield %9 : f32
        }
        te.yield %7 : f32
      }
    }
    schedule.equation (%t_5, %y_5, %x_5) {
      %a_2 = te.read %S[%t_5, %y_5, %x_5] : f32
      %b_2 = te.read %R[%t_5, %y_5, %x_5] : f32
      %c = arith.addf %a_2, %b_2 : f32
      te.yield %c : f32
    }
  }
  te.return %C : tensor<5x8x8xf32>
}

// CHECK-LABEL: te.func @together
// CHECK:         schedule.stage "S" at %x
// CHECK:           schedule.region [0 : 5, 0 : 8, 0 : 8]
// CHECK:         schedule.stage "R" at %x
// CHECK:           schedule.region [0 : 5, %y : 1, 0 : 8]
