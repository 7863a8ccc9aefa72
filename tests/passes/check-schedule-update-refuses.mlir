// RUN: not teloom-opt %s --split-input-file -p apply-schedule,infer-bounds,check-schedule 2>&1 | filecheck %s

// CHECK: stage "S" at [8] writes S[9], but axis 0 of S runs from 0 to 8
te.func @outside(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 9) state %s : tensor<9xf32> {
    %own = te.read %s[%r] : f32
    te.write %own, %s[%r + 1] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %S : tensor<9xf32>
}

// -----

// The condition is asked where the body has no point.
// CHECK: stage "S" at [9] reads S[9], but axis 0 of S runs from 0 to 8
te.func @outside_in_until(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 10, %t = 0) state %s : tensor<9xf32> {
  } until (%u) state %g {
    %now = te.read %g[%u] : f32
    %zero = arith.constant 0.0 : f32
    %stop = arith.cmpf olt, %now, %zero : f32
    te.yield %stop : i1
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %S : tensor<9xf32>
}

// -----

// The place is that of the command.
// CHECK: refuses.mlir:[[# @LINE + 14]]:8: error: check-schedule: stage "S" at [2] reads S[1], at (b = 6); the equations write it before, at [1], the schedule at (b = 7), which is later
te.func @backwards(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %S : tensor<9xf32>
}
schedule.sequence @reversed on @backwards {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  %b = schedule.reverse %r
}

// -----

// Points that may come in any order still cannot write one element at the same time.
// CHECK: stage "S" at [8] may touch an element of S that [7] touches, and one of them writes it, at (r = 8); the equations run [7] before or after it, the schedule at (r = 7), and iterations of r, which is parallel, have no order
te.func @at_once(%A: tensor<9xf32>, %X: tensor<9xi32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 9) state %s reorderable : tensor<9xf32> {
    %x = te.read %X[%r] : i32
    %at = arith.index_cast %x : i32 to index
    %bin = te.bounded %at in 0 to 9
    %old = te.read %s[%bin] : f32
    %new = arith.addf %old, %old : f32
    te.write %new, %s[%bin] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %S : tensor<9xf32>
}
schedule.sequence @parallel on @at_once {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  schedule.parallel %r
}

// -----

// CHECK: axis t of "S" ends early: outside of its loop are those of y, and no others; the order is t, y
te.func @ends_early(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%y = 9, %t = 10) state %s : tensor<9xf32> {
    %old = te.read %s[%y] : f32
    te.write %old, %s[%y] : f32
  } until (%p, %u) state %g {
    %true = arith.constant true
    te.yield %true : i1
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %S : tensor<9xf32>
}
schedule.sequence @reordered on @ends_early {
  %S = schedule.get "S"
  %i, %y, %t = schedule.axes 3 of %S
  schedule.reorder %t, %y
}
