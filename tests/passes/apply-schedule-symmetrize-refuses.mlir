// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// Another tensor is read where the axes change places.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and j: X[k, i] is another value where i and j change places
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = 8) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %Y[%k, %j] : f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %T = schedule.symmetrize %C, %i, %j
}

// -----

// A difference has another sign there.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and j: subf(X[k, i], X[k, j]) is another value where i and j change places
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = 8) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %p = arith.subf %x, %y : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %T = schedule.symmetrize %C, %i, %j
}

// -----

// Of two differences that are multiplied, one may be a zero, whose sign does not change.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and j: subf(X[k, i], X[k, j]) is another value where i and j change places
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = 8) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %d = arith.subf %x, %y : f32
    %x1 = te.read %X[0, %i] : f32
    %y1 = te.read %X[0, %j] : f32
    %e = arith.subf %x1, %y1 : f32
    %p = arith.mulf %d, %e : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %T = schedule.symmetrize %C, %i, %j
}

// -----

// A position is another one, too.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and j: index_cast(i) is another value where i and j change places
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = 8) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %q = arith.mulf %x, %y : f32
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %p = arith.addf %q, %f : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %T = schedule.symmetrize %C, %i, %j
}

// -----

// The start of a fold counts as well.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and j: Y[p, q] is another value where i and j change places
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = 8) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  } init (%p, %q) {
    %y = te.read %Y[%p, %q] : f32
    te.yield %y : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %T = schedule.symmetrize %C, %i, %j
}

// -----

// So do the bounds of axes.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and j: the bounds of its axes are others where i and j change places
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x5xf32>) {
  %C = te.compute "C" (%i = 6, %j = 5) reduce (%k = 8) : tensor<6x5xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x5xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %T = schedule.symmetrize %C, %i, %j
}

// -----

// Bounds of terms are those of an element.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and j: the bounds of its axes are others where i and j change places
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = %i + 1) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %T = schedule.symmetrize %C, %i, %j
}

// -----

// A reduce axis is none of an element.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and k: k is no data axis of it; those are i, j
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = 8) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %T = schedule.symmetrize %C, %i, %k
}

// -----

// Loops of the equation would be those of the copy.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and j: its loops changed; symmetrize comes before all commands on the axes of its stage
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = 8) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  schedule.reorder %j, %i
  %T = schedule.symmetrize %C, %i, %j
}

// -----

// Nor are they axes any more.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and j: split says more of its loops; symmetrize comes before all commands on the axes of its stage
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = 8) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %ko, %ki = schedule.split %k factor 4
  %T = schedule.symmetrize %C, %i, %j
}

// -----

// What is computed in its loops would be in those of the copy.
// CHECK: error: apply-schedule: cannot symmetrize "C" along i and j: "X.local" is computed inside it; symmetrize comes before all commands on the axes of its stage
te.func @f(%X: tensor<8x6xf32>, %Y: tensor<8x6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) reduce (%k = 8) : tensor<6x6xf32> {
    %x = te.read %X[%k, %i] : f32
    %y = te.read %X[%k, %j] : f32
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine (%a: f32, %b: f32) identity [0.0 : f32] {
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  }
  te.return %C : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %L = schedule.cache_read argument 0 "local" readers %C
  schedule.compute_at %L, %C, %i
  %T = schedule.symmetrize %C, %i, %j
}

// -----

// The stage that is read is not symmetric.
// CHECK: error: apply-schedule: cannot symmetrize "D" along i and j: C[i, j] is another value where i and j change places
te.func @f(%X: tensor<6xf32>) -> (tensor<6x6xf32>) {
  %C = te.compute "C" (%i = 6, %j = 6) : tensor<6x6xf32> {
    %x = te.read %X[%i] : f32
    %y = te.read %X[%j] : f32
    %p = arith.subf %x, %y : f32
    te.yield %p : f32
  }
  %D = te.compute "D" (%i = 6, %j = 6) : tensor<6x6xf32> {
    %c = te.read %C[%i, %j] : f32
    %e = math.exp %c : f32
    te.yield %e : f32
  }
  te.return %D : tensor<6x6xf32>
}
schedule.sequence @s on @f {
  %D = schedule.get "D"
  %i, %j = schedule.axes 2 of %D
  %T = schedule.symmetrize %D, %i, %j
}
