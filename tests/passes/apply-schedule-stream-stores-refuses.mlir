// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: apply-schedule: cannot stream the stores of "B": it is computed at axis i, in a loop of a stage that reads it at once; legal is a stage at the root
te.func @attached(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%x = 8) : tensor<8xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @attached {
  %B = schedule.get "B"
  schedule.stream_stores %B
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  schedule.compute_at %B, %C, %i
}

// -----

// CHECK: error: apply-schedule: cannot stream the stores of "S": it is a reduction, which reads what it has stored; cache_write it, and stream the stage that copies the result
te.func @sums(%A: tensor<8x8xf32>) -> (tensor<8xf32>) {
  %S = te.compute "S" (%i = 8) reduce (%r = 8) : tensor<8xf32> {
    %a = te.read %A[%i, %r] : f32
    te.yield %a : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %S : tensor<8xf32>
}
schedule.sequence @s on @sums {
  %S = schedule.get "S"
  schedule.stream_stores %S
}

// -----

// CHECK: error: apply-schedule: cannot stream the stores of "S": it is a scan, whose steps read what earlier ones have stored
te.func @recurrence(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    %x = te.read %X[%t, %i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = 4) init %first until 1 state %s : tensor<?x4xf32> {
    %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %s[%u - 1, %j] : f32
      te.yield %sum : f32
    }
    te.yield %next : tensor<?x4xf32>
  }
  te.return %S : tensor<?x4xf32>
}
schedule.sequence @s on @recurrence {
  %S = schedule.get "S"
  schedule.stream_stores %S
}

// -----

// CHECK: error: apply-schedule: cannot stream the stores of "B": it is an extern, whose code stores as it likes
te.func @code() -> (tensor<8xf32>) {
  %B = te.extern "B" (%b: tensor<8xf32>) {
  }
  te.return %B : tensor<8xf32>
}
schedule.sequence @s on @code {
  %B = schedule.get "B"
  schedule.stream_stores %B
}
