// RUN: not teloom-opt %s -p apply-schedule --split-input-file 2>&1 | filecheck %s

// CHECK: error: apply-schedule: "S" is a scan, in whose loops "next" is computed, but the outermost, t, is vectorized
te.func @sums(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    %x = te.read %X[%t, %i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = 4) init %first until 1 state %s : tensor<?x4xf32> {
    %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %s[%u - 1, %j] : f32
      %x = te.read %X[%u, %j] : f32
      %new = arith.addf %sum, %x : f32
      te.yield %new : f32
    }
    te.yield %next : tensor<?x4xf32>
  }
  te.return %S : tensor<?x4xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %t, %i = schedule.axes 2 of %S
  %next = schedule.get "next"
  schedule.vectorize %t
}

// -----

// CHECK: error: apply-schedule: cannot compute "next" outside of "S", of which it reads earlier steps; legal places: S.t, S.i
te.func @sums(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    %x = te.read %X[%t, %i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = 4) init %first until 1 state %s : tensor<?x4xf32> {
    %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %s[%u - 1, %j] : f32
      %x = te.read %X[%u, %j] : f32
      %new = arith.addf %sum, %x : f32
      te.yield %new : f32
    }
    te.yield %next : tensor<?x4xf32>
  }
  te.return %S : tensor<?x4xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %t, %i = schedule.axes 2 of %S
  %next = schedule.get "next"
  schedule.compute_root %next
}

// -----

// CHECK: error: apply-schedule: cannot inline "S": it is a scan, whose steps read what is stored of it
te.func @sums(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    %x = te.read %X[%t, %i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = 4) init %first until 1 state %s : tensor<?x4xf32> {
    %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %s[%u - 1, %j] : f32
      %x = te.read %X[%u, %j] : f32
      %new = arith.addf %sum, %x : f32
      te.yield %new : f32
    }
    te.yield %next : tensor<?x4xf32>
  }
  %C = te.compute "C" (%t = %m, %i = 4) : tensor<?x4xf32> {
    %0 = te.read %S[%t, %i] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<?x4xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %t, %i = schedule.axes 2 of %S
  %next = schedule.get "next"
  schedule.compute_inline %S
}

// -----

// CHECK: error: apply-schedule: cannot compute "S" in "local" first: it is a scan, whose steps read it; set_scope says where it is
te.func @sums(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    %x = te.read %X[%t, %i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = 4) init %first until 1 state %s : tensor<?x4xf32> {
    %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %s[%u - 1, %j] : f32
      %x = te.read %X[%u, %j] : f32
      %new = arith.addf %sum, %x : f32
      te.yield %new : f32
    }
    te.yield %next : tensor<?x4xf32>
  }
  te.return %S : tensor<?x4xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %t, %i = schedule.axes 2 of %S
  %next = schedule.get "next"
  %C = schedule.cache_write %S "local"
}

// -----

// A cache of a step is one of the steps, and has to be placed.
// CHECK: error: apply-schedule: cannot compute "next.local" outside of "S", of which it reads earlier steps; legal places: S.t, S.i
te.func @sums(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    %x = te.read %X[%t, %i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = 4) init %first until 1 state %s : tensor<?x4xf32> {
    %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %s[%u - 1, %j] : f32
      %x = te.read %X[%u, %j] : f32
      %new = arith.addf %sum, %x : f32
      te.yield %new : f32
    }
    te.yield %next : tensor<?x4xf32>
  }
  te.return %S : tensor<?x4xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  %t, %i = schedule.axes 2 of %S
  %next = schedule.get "next"
  %C = schedule.cache_read %next "local" readers %S
}
