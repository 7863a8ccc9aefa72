// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s
// RUN: teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds{mode=hull}' | filecheck %s --check-prefix=HULL
// RUN: teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds{mode=box}' | filecheck %s --check-prefix=BOX

// Along an axis that the steps keep apart, a scan is computed just where it is read at its place:
// and with it its steps, and its init. Of time, up to the last that is read.

// Sums of each column: a tile of columns needs those of the same columns, of times up to 5.
te.func @columns(%X: tensor<9x32xf32>) -> (tensor<6x32xf32>) {
  %first = te.compute "first" (%t = 1, %x = 32) : tensor<1x32xf32> {
    %a = te.read %X[%t, %x] : f32
    te.yield %a : f32
  }
  %S = te.scan "S" (%t = 9, %x = 32) init %first until 1 state %s : tensor<9x32xf32> {
    %next = te.compute "next" (%n = 9, %j = 32) : tensor<9x32xf32> {
      %a = te.read %s[%n - 1, %j] : f32
      %b = te.read %X[%n, %j] : f32
      %c = arith.addf %a, %b : f32
      te.yield %c : f32
    }
    te.yield %next : tensor<9x32xf32>
  }
  %C = te.compute "C" (%t = 6, %x = 32) : tensor<6x32xf32> {
    %a = te.read %S[%t, %x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<6x32xf32>
}
schedule.sequence @s on @columns {
  %first = schedule.get "first"
  %S = schedule.get "S"
  %C = schedule.get "C"
  %t, %x = schedule.axes 2 of %C
  %xo, %xi = schedule.split %x factor 8
  schedule.reorder %xo, %t, %xi
  schedule.compute_at %S, %C, %xo
  schedule.compute_at %first, %C, %xo
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
  %S = te.scan "S" (%t = 16) init %X until 1 state %s : tensor<16xf32> {
    %next = te.compute "next" (%n = 16) : tensor<16xf32> {
      %a = te.read %s[%n - 1] : f32
      te.yield %a : f32
    }
    te.yield %next : tensor<16xf32>
  }
  %C = te.compute "C" (%y = 16) : tensor<16xf32> {
    %a = te.read %S[%y] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<16xf32>
}
schedule.sequence @s on @times {
  %S = schedule.get "S"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  %yo, %yi = schedule.split %y factor 4
  schedule.compute_at %S, %C, %yo
}

// CHECK-LABEL: te.func @times
// CHECK:         schedule.stage "S" at %yo
// CHECK:           schedule.range %t = 0 to %yo * 4 + 4

// -----

// Two steps, of which one looks a column to the left of where the other finds it, and two states:
// what is read of columns comes back to the same one. Rows meet in the sums over k.
te.func @steps(%A: tensor<1x8x16xf32>, %B: tensor<1x8x16xf32>) -> (tensor<5x8x16xf32>) {
  %S:2 = te.scan "S" (%t = 5, %y = 8, %x = 16) init %A, %B until 1 state %p, %q : tensor<5x8x16xf32>, tensor<5x8x16xf32> {
    %u = te.compute "u" (%n = 5, %i = 8, %j = 17) reduce (%k = 8) : tensor<5x8x17xf32> {
      %a = te.read %p[%n - 1, %k, %j - 1] : f32
      te.yield %a : f32
    } combine (%a: f32, %b: f32) identity [0.0 : f32] {
      %c = arith.addf %a, %b : f32
      te.yield %c : f32
    }
    %v = te.compute "v" (%n = 5, %i = 8, %j = 16) : tensor<5x8x16xf32> {
      %a = te.read %u[%n, %i, %j + 1] : f32
      %b = te.read %q[%n - 1, %i, %j] : f32
      %c = arith.addf %a, %b : f32
      te.yield %c : f32
    }
    %w = te.compute "w" (%n = 5, %i = 8, %j = 16) : tensor<5x8x16xf32> {
      %a = te.read %p[%n - 1, %i, %j] : f32
      te.yield %a : f32
    }
    te.yield %v, %w : tensor<5x8x16xf32>, tensor<5x8x16xf32>
  }
  %C = te.compute "C" (%t = 5, %y = 8, %x = 16) : tensor<5x8x16xf32> {
    %a = te.read %S#1[%t, %y, %x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<5x8x16xf32>
}
schedule.sequence @s on @steps {
  %S = schedule.get "S"
  %C = schedule.get "C"
  %t, %y, %x = schedule.axes 3 of %C
  schedule.reorder %y, %x, %t
  schedule.compute_at %S, %C, %x
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
  %S = te.scan "S" (%t = 5, %y = 8, %x = 8) init %X until 1 state %s : tensor<5x8x8xf32> {
    %next = te.compute "next" (%n = 5, %i = 8, %j = 8) : tensor<5x8x8xf32> {
      %a = te.read %s[%n - 1, %j, %i] : f32
      te.yield %a : f32
    }
    te.yield %next : tensor<5x8x8xf32>
  }
  %R = te.scan "R" (%t = 5, %y = 8, %x = 8) init %X until 1 state %s : tensor<5x8x8xf32> {
    %after = te.compute "after" (%n = 5, %i = 8, %j = 8) : tensor<5x8x8xf32> {
      %seven = arith.constant 7 : index
      %last = arith.cmpi eq, %j, %seven : index
      %a = scf.if %last -> (f32) {
        %b = te.read %s[%n - 1, %i, 0] : f32
        scf.yield %b : f32
      } else {
        %b = te.read %s[%n - 1, %i, %j] : f32
        scf.yield %b : f32
      }
      te.yield %a : f32
    }
    te.yield %after : tensor<5x8x8xf32>
  }
  %C = te.compute "C" (%t = 5, %y = 8, %x = 8) : tensor<5x8x8xf32> {
    %a = te.read %S[%t, %y, %x] : f32
    %b = te.read %R[%t, %y, %x] : f32
    %c = arith.addf %a, %b : f32
    te.yield %c : f32
  }
  te.return %C : tensor<5x8x8xf32>
}
schedule.sequence @s on @together {
  %S = schedule.get "S"
  %R = schedule.get "R"
  %C = schedule.get "C"
  %t, %y, %x = schedule.axes 3 of %C
  schedule.reorder %y, %x, %t
  schedule.compute_at %S, %C, %x
  schedule.compute_at %R, %C, %x
}

// CHECK-LABEL: te.func @together
// CHECK:         schedule.stage "S" at %x
// CHECK:           schedule.region [0 : 5, 0 : 8, 0 : 8]
// CHECK:         schedule.stage "R" at %x
// CHECK:           schedule.region [0 : 5, %y : 1, 0 : 8]
