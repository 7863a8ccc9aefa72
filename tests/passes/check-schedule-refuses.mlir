// RUN: not teloom-opt %s -p check-schedule --split-input-file 2>&1 | filecheck %s

// The last three elements are needed at the same time.
// CHECK: error: check-schedule: stage "C" at [0] reads B[0], at (y = 0), where B[2] lies since (y = 0): both are stored at one place
te.func @rows(%A: tensor<66xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    schedule.order %y
    schedule.region [0 : 64]
    schedule.range %y = 0 to 64
    %B = schedule.stage "B" at %y stored at root folded axis 0 factor 2 (%i = 66) : tensor<66xf32> {
      schedule.order %i
      schedule.region [0 : 66]
      schedule.range %i = %y to %y + 3
      schedule.guard (%i - %y - 2 == 0) or (%y == 0)
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %0 = te.read %B[%q] : f32
      %1 = te.read %B[%q + 2] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// -----

// A window has an order: what one iteration leaves, later ones find.
// CHECK: error: check-schedule: stage "C" at [1] reads B[1], at (y = 1); the equations compute B[1] before, the schedule at (y = 0), and iterations of y, which is parallel, have no order
te.func @rows(%A: tensor<66xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    schedule.order %y parallel
    schedule.region [0 : 64]
    schedule.range %y = 0 to 64
    %B = schedule.stage "B" at %y stored at root folded axis 0 factor 3 (%i = 66) : tensor<66xf32> {
      schedule.order %i
      schedule.region [0 : 66]
      schedule.range %i = %y to %y + 3
      schedule.guard (%i - %y - 2 == 0) or (%y == 0)
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %0 = te.read %B[%q] : f32
      %1 = te.read %B[%q + 2] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// -----

// Two iterations without an order write one place.
// CHECK: error: check-schedule: stage "B" computes element [1] at (y = 0), and writes the same place at (y = 1): iterations of y, which is parallel, have no order
te.func @rows(%A: tensor<66xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    schedule.order %y parallel
    schedule.region [0 : 64]
    schedule.range %y = 0 to 64
    %B = schedule.stage "B" at %y stored at root (%i = 66) : tensor<66xf32> {
      schedule.order %i
      schedule.region [0 : 66]
      schedule.range %i = %y to %y + 3
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %0 = te.read %B[%q] : f32
      %1 = te.read %B[%q + 2] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// -----

// The first iteration has to fill the window.
// CHECK: error: check-schedule: stage "C" at [0] reads B[0], at (y = 0); nothing computes it
te.func @rows(%A: tensor<66xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    schedule.order %y
    schedule.region [0 : 64]
    schedule.range %y = 0 to 64
    %B = schedule.stage "B" at %y stored at root folded axis 0 factor 3 (%i = 66) : tensor<66xf32> {
      schedule.order %i
      schedule.region [0 : 66]
      schedule.range %i = %y to %y + 3
      schedule.guard (%i - %y - 2 == 0)
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %0 = te.read %B[%q] : f32
      %1 = te.read %B[%q + 2] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// -----

// Nobody computes what is beyond the range.
// CHECK: error: check-schedule: stage "C" at [2] reads B[2], at (y = 2); nothing computes it
te.func @rows(%A: tensor<66xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    schedule.order %y
    schedule.region [0 : 64]
    schedule.range %y = 0 to 64
    %B = schedule.stage "B" at %y stored at root folded axis 0 factor 3 (%i = 66) : tensor<66xf32> {
      schedule.order %i
      schedule.region [0 : 66]
      schedule.range %i = %y to %y + 2
      schedule.guard (%i - %y - 2 == 0) or (%y == 0)
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %0 = te.read %B[%q] : f32
      %1 = te.read %B[%q + 2] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// -----

// What is computed has a place.
// CHECK: error: check-schedule: stage "B" computes element [65], which is outside of what is stored
te.func @rows(%A: tensor<66xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    schedule.order %y
    schedule.region [0 : 64]
    schedule.range %y = 0 to 64
    %B = schedule.stage "B" at %y stored at root folded axis 0 factor 3 (%i = 66) : tensor<66xf32> {
      schedule.order %i
      schedule.region [0 : 65]
      schedule.range %i = %y to %y + 3
      schedule.guard (%i - %y - 2 == 0) or (%y == 0)
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %0 = te.read %B[%q] : f32
      %1 = te.read %B[%q + 2] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// -----

// Each iteration of the loop has its own elements then.
// CHECK: error: check-schedule: stage "C" at [1] reads B[1]; nothing computes it in the loops around, at (y = 1)
te.func @rows(%A: tensor<66xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    schedule.order %y
    schedule.region [0 : 64]
    schedule.range %y = 0 to 64
    %B = schedule.stage "B" at %y (%i = 66) : tensor<66xf32> {
      schedule.order %i
      schedule.region [0 : 66]
      schedule.range %i = %y to %y + 3
      schedule.guard (%i - %y - 2 == 0) or (%y == 0)
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %0 = te.read %B[%q] : f32
      %1 = te.read %B[%q + 2] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// -----

// Every value is folded once, and none is left out.
// CHECK: error: check-schedule: stage "S" runs at [0, 12], which is no point of its axes
te.func @sum(%A: tensor<8x12xf32>) -> (tensor<8xf32>) {
  %S = schedule.stage "S" (%i = 8) reduce (%k = 12) : tensor<8xf32> {
    %ko, %ki = schedule.split %k factor 4
    schedule.order %ko, %i, %ki
    schedule.region [0 : 8]
    schedule.range %ko = 0 to 3
    schedule.range %i = 0 to 8
    schedule.range %ki = 0 to 5
    schedule.range %k = 0 to 12
    schedule.value %k = %ko * 4 + %ki
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<8xf32>
}

// -----

// CHECK: error: check-schedule: nothing computes S[0], which is an output
te.func @sum(%A: tensor<8x12xf32>) -> (tensor<8xf32>) {
  %S = schedule.stage "S" (%i = 8) reduce (%k = 12) : tensor<8xf32> {
    %ko, %ki = schedule.split %k factor 4
    schedule.order %ko, %i, %ki
    schedule.region [0 : 8]
    schedule.range %ko = 0 to 3
    schedule.range %i = 0 to 8
    schedule.range %ki = 0 to 3
    schedule.range %k = 0 to 12
    schedule.value %k = %ko * 4 + %ki
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<8xf32>
}

// -----

// CHECK: error: check-schedule: stage "S" runs at [0, 12], which is no point of its axes
te.func @sum(%A: tensor<8x12xf32>) -> (tensor<8xf32>) {
  %S = schedule.stage "S" (%i = 8) reduce (%k = 12) : tensor<8xf32> {
    %ko, %ki = schedule.split %k factor 4
    schedule.order %ko, %i, %ki
    schedule.region [0 : 8]
    schedule.range %ko = 0 to 3
    schedule.range %i = 0 to 8
    schedule.range %ki = 0 to 4
    schedule.range %k = 0 to 12
    schedule.value %k = %ko * 4 + %ki + 1
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<8xf32>
}

// -----

// An output is computed, and stored, as a whole.
// CHECK: error: check-schedule: nothing computes S[7], which is an output
te.func @sum(%A: tensor<8x12xf32>) -> (tensor<8xf32>) {
  %S = schedule.stage "S" (%i = 8) reduce (%k = 12) : tensor<8xf32> {
    %ko, %ki = schedule.split %k factor 4
    schedule.order %ko, %i, %ki
    schedule.region [0 : 8]
    schedule.range %ko = 0 to 3
    schedule.range %i = 0 to 7
    schedule.range %ki = 0 to 4
    schedule.range %k = 0 to 12
    schedule.value %k = %ko * 4 + %ki
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<8xf32>
}

// -----

// CHECK: error: check-schedule: stage "S" is an output, but its region is not all of it
te.func @sum(%A: tensor<8x12xf32>) -> (tensor<8xf32>) {
  %S = schedule.stage "S" (%i = 8) reduce (%k = 12) : tensor<8xf32> {
    %ko, %ki = schedule.split %k factor 4
    schedule.order %ko, %i, %ki
    schedule.region [0 : 9]
    schedule.range %ko = 0 to 3
    schedule.range %i = 0 to 8
    schedule.range %ki = 0 to 4
    schedule.range %k = 0 to 12
    schedule.value %k = %ko * 4 + %ki
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<8xf32>
}

// -----

// A step reads what an earlier one has computed.
// CHECK: error: check-schedule: stage "S" at [1] reads S[1], at (t = 1); the schedule computes it later in the same iteration
te.func @sums(%X: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = schedule.stage "S" (%t = 9) : tensor<9xf32> {
    schedule.order %t
    schedule.region [0 : 9]
    schedule.range %t = 0 to 9
    %s = schedule.state 0 : tensor<9xf32>
    schedule.equation (%u) {
      %zero = arith.constant 0 : index
      %first = arith.cmpi eq, %u, %zero : index
      %next = scf.if %first -> (f32) {
        %start = te.read %X[%u] : f32
        scf.yield %start : f32
      } else {
        %before = te.read %s[%u] : f32
        scf.yield %before : f32
      }
      te.yield %next : f32
    }
  }
  te.return %S : tensor<9xf32>
}

// -----

// An output in a loop of its reader: the last element is needed by no iteration.
// CHECK: error: check-schedule: nothing computes B[12], which is an output
te.func @output(%A: tensor<13xf32>) -> (tensor<13xf32>, tensor<12xf32>) {
  %C = schedule.stage "C" (%y = 12) : tensor<12xf32> {
    schedule.order %y
    schedule.region [0 : 12]
    schedule.range %y = 0 to 12
    %B = schedule.stage "B" at %y stored at root (%x = 13) : tensor<13xf32> {
      schedule.order %x
      schedule.region [0 : 13]
      schedule.range %x = %y to %y + 1
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %b = te.read %B[%q] : f32
      te.yield %b : f32
    }
  }
  %B = schedule.result "B" 0 : tensor<13xf32>
  te.return %B, %C : tensor<13xf32>, tensor<12xf32>
}

// -----

// CHECK: error: check-schedule: stage "B" is an output, and is stored in a loop
te.func @output(%A: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %C = schedule.stage "C" (%y = 12) : tensor<12xf32> {
    schedule.order %y
    schedule.region [0 : 12]
    schedule.range %y = 0 to 12
    %B = schedule.stage "B" at %y (%x = 12) : tensor<12xf32> {
      schedule.order %x
      schedule.region [0 : 12]
      schedule.range %x = %y to %y + 1
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %b = te.read %B[%q] : f32
      te.yield %b : f32
    }
  }
  %B = schedule.result "B" 0 : tensor<12xf32>
  te.return %B, %C : tensor<12xf32>, tensor<12xf32>
}

// -----

// The readers of the reader are named, up to the output.
// CHECK: error: check-schedule: stage "C" at [0] reads B[0], at (y = 0), where B[2] lies since (y = 0): both are stored at one place; C[0] is read by D[64], which is read by E[0]
te.func @rows(%A: tensor<66xf32>) -> (tensor<65xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    schedule.order %y
    schedule.region [0 : 64]
    schedule.range %y = 0 to 64
    %B = schedule.stage "B" at %y stored at root folded axis 0 factor 2 (%i = 66) : tensor<66xf32> {
      schedule.order %i
      schedule.region [0 : 66]
      schedule.range %i = %y to %y + 3
      schedule.guard (%i - %y - 2 == 0) or (%y == 0)
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %0 = te.read %B[%q] : f32
      %1 = te.read %B[%q + 2] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  %D = schedule.stage "D" (%z = 65) : tensor<65xf32> {
    schedule.order %z
    schedule.region [0 : 65]
    schedule.range %z = 0 to 65
    schedule.equation (%p) {
      %zero = arith.constant 0.0 : f32
      %last = arith.constant 63 : index
      %is_late = arith.cmpi sgt, %p, %last : index
      %d = scf.if %is_late -> (f32) {
        %c = te.read %C[%p - 64] : f32
        scf.yield %c : f32
      } else {
        scf.yield %zero : f32
      }
      te.yield %d : f32
    }
  }
  %E = schedule.stage "E" (%u = 65) : tensor<65xf32> {
    schedule.order %u
    schedule.region [0 : 65]
    schedule.range %u = 0 to 65
    schedule.equation (%p) {
      %d = te.read %D[-%p + 64] : f32
      te.yield %d : f32
    }
  }
  te.return %E : tensor<65xf32>
}

// -----

// Loops that leave the domain.
// CHECK: error: check-schedule: stage "L" runs at [0, 1], which is no point of its axes
te.func @beyond(%n: index, %A: tensor<?x?xf32>[%n, %n]) -> (tensor<?x?xf32>) {
  %L = schedule.stage "L" (%i = %n, %j = %n) where (%i - %j >= 0) : tensor<?x?xf32> {
    schedule.order %i, %j
    schedule.region [0 : %n, 0 : %n]
    schedule.range %i = 0 to %n
    schedule.range %j = 0 to %n
    schedule.equation (%p, %q) {
      %a = te.read %A[%p, %q] : f32
      te.yield %a : f32
    }
  }
  te.return %L : tensor<?x?xf32>
}

// -----

// Loops that leave out a diagonal of the domain.
// CHECK: error: check-schedule: nothing computes L[0, 0], which is an output
te.func @less(%n: index, %A: tensor<?x?xf32>[%n, %n]) -> (tensor<?x?xf32>) {
  %L = schedule.stage "L" (%i = %n, %j = %n) where (%i - %j >= 0) : tensor<?x?xf32> {
    schedule.order %i, %j
    schedule.region [0 : %n, 0 : %n]
    schedule.range %i = 0 to %n
    schedule.range %j = 0 to %i
    schedule.equation (%p, %q) {
      %a = te.read %A[%p, %q] : f32
      te.yield %a : f32
    }
  }
  te.return %L : tensor<?x?xf32>
}

// -----

// Nor do threads have an order, where the memory is that of their block.
// CHECK: error: check-schedule: stage "B" computes element [1] at (y = 0), and writes the same place at (y = 1): iterations of y, which is threadIdx.x, have no order
te.func @rows(%A: tensor<66xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    schedule.order %y threadIdx.x
    schedule.region [0 : 64]
    schedule.range %y = 0 to 64
    %B = schedule.stage "B" at %y stored at root in "shared" (%i = 66) : tensor<66xf32> {
      schedule.order %i
      schedule.region [0 : 66]
      schedule.range %i = %y to %y + 3
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %0 = te.read %B[%q] : f32
      %1 = te.read %B[%q + 2] : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// -----

// CHECK: error: check-schedule: stage "C": a bound or subscript needs the number 18446744073709551615, which does not fit into 64 bits
// CHECK-NEXT: %C = schedule.stage
te.func @large_range(%A: tensor<66xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%y = 64) : tensor<64xf32> {
    schedule.order %y
    schedule.region [0 : 64]
    schedule.range %y = 0 to 4294967296 * 4294967296
    schedule.equation (%q) {
      %0 = te.read %A[%q] : f32
      te.yield %0 : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// -----

// The value that is said counts, not the relation: parts of four, three apart, meet.
// CHECK: error: check-schedule: stage "C" runs twice at [0, 3]: at [0, 0, 3] and at [0, 1, 0]
te.func @f(%n: index, %A: tensor<20xf32>) -> (tensor<3xf32>) {
  %C = schedule.stage "C" (%i = 3) reduce (%k = 20) : tensor<3xf32> {
    %o, %p = schedule.split %k factor 4
    schedule.order %i, %o, %p
    schedule.region [0 : 3]
    schedule.range %i = 0 to 3
    schedule.range %k = 0 to 20
    schedule.range %o = 0 to 5
    schedule.range %p = 0 to 4
    schedule.value %k = %o * 3 + %p
    schedule.equation (%a, %b) {
      %r = te.read %A[%b] : f32
      te.yield %r : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<3xf32>
}
