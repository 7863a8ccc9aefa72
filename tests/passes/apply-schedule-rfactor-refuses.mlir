// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// A data axis has no partial results.
// CHECK: error: apply-schedule: cannot rfactor axis i of stage "C": it is a data axis; reduce axes: k, l
te.func @f(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) reduce (%k = %n, %l = %m) : tensor<8xf32> {
    %b = te.read %B[%k, %l] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %k, %l = schedule.axes 3 of %C
  %CF, %v = schedule.rfactor %C, %i at 0
}

// -----

// The axis of another stage.
// CHECK: error: apply-schedule: cannot rfactor axis k of stage "B": it is no leaf axis of that stage; its leaf axes are i, j
te.func @f(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) reduce (%k = %n, %l = %m) : tensor<8xf32> {
    %b = te.read %B[%k, %l] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %k, %l = schedule.axes 3 of %C
  %CF, %v = schedule.rfactor %B, %k at 0
}

// -----

// There is no such position.
// CHECK: error: apply-schedule: cannot put axis k at 2: the data axes of "C" leave it the positions 0..1
te.func @f(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) reduce (%k = %n, %l = %m) : tensor<8xf32> {
    %b = te.read %B[%k, %l] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %k, %l = schedule.axes 3 of %C
  %CF, %v = schedule.rfactor %C, %k at 2
}

// -----

// B is read by the equation, which leaves the loop in which B is computed.
// CHECK: error: apply-schedule: cannot rfactor axis k of stage "C": "B" is computed inside that stage; rfactor comes before commands that place others there
te.func @f(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) reduce (%k = %n, %l = %m) : tensor<8xf32> {
    %b = te.read %B[%k, %l] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %k, %l = schedule.axes 3 of %C
  schedule.compute_at %B, %C, %k
  %CF, %v = schedule.rfactor %C, %k at 0
}

// -----

// So does what is prefetched.
// CHECK: error: apply-schedule: cannot rfactor axis k of stage "C": that stage prefetches in its loops; rfactor comes before that
te.func @f(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) reduce (%k = %n, %l = %m) : tensor<8xf32> {
    %b = te.read %B[%k, %l] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %k, %l = schedule.axes 3 of %C
  schedule.prefetch %C, %B at %k offset 1
  %CF, %v = schedule.rfactor %C, %k at 0
}

// -----

// A pragma of a reduce axis would be one of an axis of another stage.
// CHECK: error: apply-schedule: cannot rfactor axis k of stage "C": pragma says more of reduce axes; rfactor comes before that
te.func @f(%A: tensor<9x9xf32>) -> (tensor<8xf32>) {
  %C = te.compute "C" (%i = 8) reduce (%k = 9, %l = 9) : tensor<8xf32> {
    %a = te.read %A[%k, %l] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %k, %l = schedule.axes 3 of %C
  schedule.pragma %l "note"
  %CF, %v = schedule.rfactor %C, %k at 0
}

// -----

// The kind of the axis would be lost.
// CHECK: error: apply-schedule: axis k of stage "C" is unrolled; rfactor it before that
te.func @f(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) reduce (%k = %n, %l = %m) : tensor<8xf32> {
    %b = te.read %B[%k, %l] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %k, %l = schedule.axes 3 of %C
  schedule.unroll %k
  %CF, %v = schedule.rfactor %C, %k at 0
}

// -----

// No equation has an axis of n * m.
// CHECK: error: apply-schedule: the extent of axis f of stage "C" is a product of sizes, which no equation can have; fuse axes of which at most one has a symbolic extent
te.func @f(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) reduce (%k = %n, %l = %m) : tensor<8xf32> {
    %b = te.read %B[%k, %l] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %k, %l = schedule.axes 3 of %C
  %f = schedule.fuse %k, %l
  %CF, %v = schedule.rfactor %C, %f at 0
}

// -----

// The axis is C.rf's from then on.
// CHECK: {{.*}}axis k was consumed by rfactor; use CF, v
te.func @f(%n: index, %m: index, %A: tensor<?x?xf32>[%n, %m]) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = %n, %j = %m) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) reduce (%k = %n, %l = %m) : tensor<8xf32> {
    %b = te.read %B[%k, %l] : f32
    te.yield %b : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %k, %l = schedule.axes 3 of %C
  %CF, %v = schedule.rfactor %C, %k at 0
  schedule.unroll %k
}

// -----

// An extern folds by itself.
// CHECK: error: apply-schedule: cannot rfactor axis k of stage "C": it is an extern, whose body folds by itself
te.func @dots(%A: tensor<8x4xf32>) -> (tensor<8xf32>) {
  %C = te.extern "C" (%i = 8) reduce (%k = 4) (%out: tensor<8xf32>) {
    %a = te.buffer %A[%i : 1, %k : 1] factor 1 : memref<1xf32, strided<[1], offset: ?>>
    %c = te.buffer %out[%i : 1] : memref<1xf32, strided<[1], offset: ?>>
  } init (%p, %o) {
    %c = te.buffer %o[%p : 1] : memref<1xf32, strided<[1], offset: ?>>
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @dots {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  %CF, %v = schedule.rfactor %C, %k at 0
}
