// RUN: not teloom-opt %s -p apply-schedule --split-input-file 2>&1 | filecheck %s

// CHECK: cannot inline "S": it is an update, whose points read what is stored of it
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  schedule.compute_inline %S
}

// -----

// CHECK: cannot compute "S" in "local" first: it is an update, whose points read it; set_scope says where it is
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %L = schedule.cache_write %S "local"
}

// -----

// CHECK: cannot stream the stores of "S": it is an update, whose points read what earlier ones have stored
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  schedule.stream_stores %S
}

// -----

// CHECK: cannot fold axis i of "S": it is an update, whose points reach all of its elements until the last of them
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  schedule.fold_storage %i factor 2
}

// -----

// CHECK: cannot roll the buffer of "S": it is an update, whose points reach all of its elements until the last of them
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  schedule.rolling_buffer %S
}

// -----

// CHECK: axis r of "S" is one of an update, whose points beyond the end would change elements; use tail "predicate", "guard" or "cut"
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  %ro, %ri = schedule.split %r factor 4 tail "round_up"
}

// -----

// CHECK: cannot tensorize axis i of "S": it is an update, whose points depend on each other
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  schedule.tensorize %i by @negate
}

// -----

// CHECK: cannot rfactor axis r of stage "S": it is an update, whose points write elements one after another
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  %P, %v = schedule.rfactor %S, %r at 0
}

// -----

// CHECK: cannot start the reduction of "S" at axis i: that stage is no reduction
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  schedule.decompose_reduction %i
}

// -----

// CHECK: reverse_compute_inline of "S": it is an update, whose points depend on each other
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  schedule.reverse_compute_inline %S
}

// -----

// CHECK: cannot make a block of "S" at r: it is an update, whose points are in an order
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  schedule.blockize %r
}

// -----

// CHECK: fuse cannot join a data axis and a reduce axis: i, r of stage "S"
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    te.write %before, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 9) : tensor<9xf32> {
    %c = te.read %S[%j] : f32
    te.yield %c : f32
  }
  te.return %C : tensor<9xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  %f = schedule.fuse %i, %r
}
