// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s
// RUN: teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds{mode=hull}' | filecheck %s --check-prefix=HULL

// An element of a scan lives from the time that writes it to the last time of which a step
// reads it, or to the end if others read it. Times that do not live together share memory.

// A step that is computed for all of a time reads the time before, until the first element of
// its own is written: one row has place for both.
te.func @whole_rows(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = te.scan "S" (%t = %m + 2, %x = 8) init %X until 2 state %s : tensor<?x8xf32> {
    %next = te.compute "next" (%u = %m + 2, %j = 8) : tensor<?x8xf32> {
      %a = te.read %s[%u - 1, %j] : f32
      %b = te.read %s[%u - 1, %j mod 4] : f32
      %c = arith.addf %a, %b : f32
      te.yield %c : f32
    }
    te.yield %next : tensor<?x8xf32>
  }
  %C = te.compute "C" (%y = 1, %x = 8) : tensor<1x8xf32> {
    %a = te.read %S[%m + 1, %x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<1x8xf32>
}
schedule.sequence @s on @whole_rows {
  %S = schedule.get "S"
  %next = schedule.get "next"
  %t, %x = schedule.axes 2 of %S
  schedule.fold_storage %t
}

// CHECK-LABEL: te.func @whole_rows
// CHECK:         schedule.stage "S" folded axis 0 factor 1 (
// CHECK:           schedule.region [0 : %m + 2, 0 : 8]

// -----

// Element by element the step reads what the same time overwrites: two rows.
te.func @elements(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = te.scan "S" (%t = %m + 2, %x = 8) init %X until 2 state %s : tensor<?x8xf32> {
    %next = te.compute "next" (%u = %m + 2, %j = 8) : tensor<?x8xf32> {
      %a = te.read %s[%u - 1, %j] : f32
      %b = te.read %s[%u - 1, %j mod 4] : f32
      %c = arith.addf %a, %b : f32
      te.yield %c : f32
    }
    te.yield %next : tensor<?x8xf32>
  }
  %C = te.compute "C" (%y = 1, %x = 8) : tensor<1x8xf32> {
    %a = te.read %S[%m + 1, %x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<1x8xf32>
}
schedule.sequence @s on @elements {
  %S = schedule.get "S"
  %next = schedule.get "next"
  %t, %x = schedule.axes 2 of %S
  schedule.compute_at %next, %S, %x
  schedule.fold_storage %t
}

// CHECK-LABEL: te.func @elements
// CHECK:         schedule.stage "S" folded axis 0 factor 2 (
// CHECK:         schedule.region [0 : %m + 2, 0 : 8]

// -----

// So it does where it is a part of the scan's own equation; and two times back, three rows.
te.func @inlined(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = te.scan "S" (%t = %m + 2, %x = 8) init %X until 2 state %s : tensor<?x8xf32> {
    %next = te.compute "next" (%u = %m + 2, %j = 8) : tensor<?x8xf32> {
      %a = te.read %s[%u - 2, %j] : f32
      %b = te.read %s[%u - 2, %j mod 4] : f32
      %c = arith.addf %a, %b : f32
      te.yield %c : f32
    }
    te.yield %next : tensor<?x8xf32>
  }
  %C = te.compute "C" (%y = 1, %x = 8) : tensor<1x8xf32> {
    %a = te.read %S[%m + 1, %x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<1x8xf32>
}
schedule.sequence @s on @inlined {
  %S = schedule.get "S"
  %next = schedule.get "next"
  %t, %x = schedule.axes 2 of %S
  schedule.compute_inline %next
  schedule.fold_storage %t
}

// CHECK-LABEL: te.func @inlined
// CHECK:         schedule.stage "S" folded axis 0 factor 3 (
// CHECK:         schedule.region [0 : %m + 2, 0 : 8]

// -----

// Two times in one step read two earlier ones first: two rows.
te.func @two_at_once(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = te.scan "S" (%t = %m + 2, %x = 8) init %X until 2 state %s : tensor<?x8xf32> {
    %next = te.compute "next" (%u = %m + 2, %j = 8) : tensor<?x8xf32> {
      %a = te.read %s[%u - 2, %j] : f32
      %b = te.read %s[%u - 2, %j mod 4] : f32
      %c = arith.addf %a, %b : f32
      te.yield %c : f32
    }
    te.yield %next : tensor<?x8xf32>
  }
  %C = te.compute "C" (%y = 1, %x = 8) : tensor<1x8xf32> {
    %a = te.read %S[%m + 1, %x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<1x8xf32>
}
schedule.sequence @s on @two_at_once {
  %S = schedule.get "S"
  %next = schedule.get "next"
  %t, %x = schedule.axes 2 of %S
  %to, %ti = schedule.split %t factor 2
  schedule.compute_at %next, %S, %to
  schedule.fold_storage %t
}

// CHECK-LABEL: te.func @two_at_once
// CHECK:         schedule.stage "S" folded axis 0 factor 2 (
// CHECK:         schedule.region [0 : %m + 2, 0 : 8]

// -----

// A factor that the user gives may be larger.
te.func @larger(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
  %S = te.scan "S" (%t = %m + 2, %x = 8) init %X until 2 state %s : tensor<?x8xf32> {
    %next = te.compute "next" (%u = %m + 2, %j = 8) : tensor<?x8xf32> {
      %a = te.read %s[%u - 1, %j] : f32
      %b = te.read %s[%u - 1, %j mod 4] : f32
      %c = arith.addf %a, %b : f32
      te.yield %c : f32
    }
    te.yield %next : tensor<?x8xf32>
  }
  %C = te.compute "C" (%y = 1, %x = 8) : tensor<1x8xf32> {
    %a = te.read %S[%m + 1, %x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<1x8xf32>
}
schedule.sequence @s on @larger {
  %S = schedule.get "S"
  %next = schedule.get "next"
  %t, %x = schedule.axes 2 of %S
  schedule.fold_storage %t factor 4
}

// CHECK-LABEL: te.func @larger
// CHECK:         schedule.stage "S" folded axis 0 factor 4 (
// CHECK:         schedule.region [0 : %m + 2, 0 : 8]

// -----

// Three times are read after the last one, and with them no fewer rows are stored. At each of
// them just the columns of the tile are stored.
te.func @afterwards(%X: tensor<1x8xf32>) -> (tensor<3x8xf32>) {
  %S = te.scan "S" (%t = 20, %x = 8) init %X until 1 state %s : tensor<20x8xf32> {
    %next = te.compute "next" (%u = 20, %j = 8) : tensor<20x8xf32> {
      %a = te.read %s[%u - 1, %j] : f32
      te.yield %a : f32
    }
    te.yield %next : tensor<20x8xf32>
  }
  %C = te.compute "C" (%y = 3, %x = 8) : tensor<3x8xf32> {
    %a = te.read %S[%y + 17, %x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<3x8xf32>
}
schedule.sequence @s on @afterwards {
  %S = schedule.get "S"
  %t, %x = schedule.axes 2 of %S
  schedule.fold_storage %t
  %C = schedule.get "C"
  %y, %i = schedule.axes 2 of %C
  %xo, %xi = schedule.split %i factor 4
  schedule.reorder %xo, %y, %xi
  schedule.compute_at %S, %C, %xo
}

// CHECK-LABEL: te.func @afterwards
// CHECK:         schedule.stage "S" at %xo folded axis 0 factor 3 (
// CHECK:           schedule.region [0 : 20, %xo * 4 : 4]

// -----

// In a window each iteration goes on where the one before has ended: it computes one time, for it
// finds those that the step reads. Two are kept, for the reader reads two. A hull holds
// no more: it is of each piece of what is read.
te.func @window(%X: tensor<1x8xf32>) -> (tensor<16x8xf32>) {
  %S = te.scan "S" (%t = 17, %x = 8) init %X until 1 state %s : tensor<17x8xf32> {
    %next = te.compute "next" (%u = 17, %j = 8) : tensor<17x8xf32> {
      %a = te.read %s[%u - 1, %j] : f32
      te.yield %a : f32
    }
    te.yield %next : tensor<17x8xf32>
  }
  %C = te.compute "C" (%y = 16, %x = 8) : tensor<16x8xf32> {
    %a = te.read %S[%y, %x] : f32
    %b = te.read %S[%y + 1, %x] : f32
    %c = arith.addf %a, %b : f32
    te.yield %c : f32
  }
  te.return %C : tensor<16x8xf32>
}
schedule.sequence @s on @window {
  %S = schedule.get "S"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.compute_at %S, %C, %y
  schedule.rolling_buffer %S
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
