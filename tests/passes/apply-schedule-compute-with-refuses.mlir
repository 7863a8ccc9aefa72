// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// P reads B, and C reads P: it has to run between them.
// CHECK: error: apply-schedule: compute_with: no order is left, as "P" reads "B", "C" reads "P", "B", "C" share a loop
te.func @between(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %P = te.compute "P" (%i = 8) : tensor<8xf32> {
    %a = te.read %B[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %P[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @between {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_with %B, %C, %i
}

// -----

// CHECK: error: apply-schedule: cannot share loops of "B" and "C": 2 loops are to be shared, but "B" has the leaf axes i
te.func @few(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8xf32>, tensor<8x8xf32>
}
schedule.sequence @s on @few {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  schedule.compute_with %B, %C, %j
}

// -----

// CHECK: error: apply-schedule: cannot share loops of "B" and "C": 3 alignments for 1 loops
te.func @words(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @words {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_with %B, %C, %i align ["start", "none", "none"]
}

// -----

// CHECK: error: apply-schedule: compute_with of "B": axis i belongs to "B", not to "C"
te.func @owner(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @owner {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  schedule.compute_with %B, %C, %i
}

// -----

// CHECK: error: apply-schedule: compute_with of "B" and "C": they are computed at different places, at C.i and at the root; place both at one
te.func @places(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @places {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_at %B, %C, %i
  schedule.compute_with %B, %C, %i
}

// -----

// CHECK: error: apply-schedule: compute_with names "B", which has no loops: it was inlined
te.func @inlined(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @inlined {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_with %B, %C, %i
  schedule.compute_inline %B
}

// -----

// CHECK: error: apply-schedule: cannot share loops of "B" and "C": axis ii of "B" has tail "round_up", which is that of a loop of one stage; split it with tail "guard" or "cut"
te.func @tails(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @tails {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  %j = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 3 tail "round_up"
  %jo, %ji = schedule.split %j factor 3
  schedule.compute_with %B, %C, %ji
}

// -----

// CHECK: error: apply-schedule: axis j of stage "C" is unrolled already and cannot be parallel too
te.func @kinds(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %a = te.read %A[%j] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @kinds {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  %j = schedule.axes 1 of %C
  schedule.parallel %i
  schedule.unroll %j
  schedule.compute_with %B, %C, %j
}

// -----

// CHECK: error: apply-schedule: axis j of "C" shares a loop over threadIdx.x; bind it, too
te.func @threads(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %a = te.read %A[%j] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @threads {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  %j = schedule.axes 1 of %C
  schedule.bind %i "threadIdx.x"
  schedule.compute_with %B, %C, %j
}

// -----

// The scan shares no loop, as its steps are in its own.
// CHECK: error: apply-schedule: cannot share loops of "S" and "C": "S" is a scan, whose loops are those of its steps
te.func @scan(%X: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %first = te.compute "first" (%t = 1) : tensor<1xf32> {
    %x = te.read %X[%t] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = 8) init %first until 1 state %s : tensor<8xf32> {
    %next = te.compute "next" (%u = 8) : tensor<8xf32> {
      %x = te.read %s[%u - 1] : f32
      te.yield %x : f32
    }
    te.yield %next : tensor<8xf32>
  }
  %C = te.compute "C" (%j = 8) : tensor<8xf32> {
    %a = te.read %X[%j] : f32
    te.yield %a : f32
  }
  te.return %S, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @scan {
  %S = schedule.get "S"
  %C = schedule.get "C"
  %j = schedule.axes 1 of %C
  schedule.compute_with %S, %C, %j
}

// -----

// B begins where C does, C ends where D does: by which word does B lie in the loop of D?
// CHECK: error: apply-schedule: "D" is aligned with "B" in several ways at loop 0: end, start; align all stages of a loop with one
te.func @ways(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<6xf32>, tensor<4xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 6) : tensor<6xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %D = te.compute "D" (%i = 4) : tensor<4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B, %C, %D : tensor<8xf32>, tensor<6xf32>, tensor<4xf32>
}
schedule.sequence @s on @ways {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %i = schedule.axes 1 of %C
  %j = schedule.axes 1 of %D
  schedule.compute_with %B, %C, %i align ["start"]
  schedule.compute_with %C, %D, %j align ["end"]
}

// -----

// CHECK: error: apply-schedule: cannot share loops of "S" and "C": "S" is an update, which has loops to begin and to change
te.func @update(%A: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 9) : tensor<9xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %S, %C : tensor<9xf32>, tensor<9xf32>
}
schedule.sequence @s on @update {
  %S = schedule.get "S"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_with %S, %C, %i
}
