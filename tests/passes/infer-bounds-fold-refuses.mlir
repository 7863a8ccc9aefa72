// RUN: not teloom-opt %s --split-input-file -p apply-schedule,infer-bounds 2>&1 | filecheck %s

// Three rows are needed at the same time.
// CHECK: error: infer-bounds: cannot fold axis i of "B" by 2: B[0, 0] and B[2, 0] would share memory, and both are needed at the same time; the smallest factor is 3
te.func @too_small(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 66, %j = 64) : tensor<66x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %0 = te.read %B[%y, %x] : f32
    %1 = te.read %B[%y + 2, %x] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @too_small {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %i, %j = schedule.axes 2 of %B
  schedule.compute_at %B, %C, %y
  schedule.store_root %B
  schedule.fold_storage %i factor 2
}

// -----

// A whole row of any length is needed at the same time.
// CHECK: error: infer-bounds: cannot fold axis j of "B" by 8: B[0, 0] and B[0, 8] would share memory, and both are needed at the same time (here n = 9); no factor is large enough
te.func @unbounded(%n: index, %A: tensor<66x?xf32>[66, %n]) -> (tensor<66x?xf32>) {
  %B = te.compute "B" (%i = 66, %j = %n) : tensor<66x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 66, %x = %n) : tensor<66x?xf32> {
    %0 = te.read %B[%y, %x] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<66x?xf32>
}
schedule.sequence @s on @unbounded {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %i, %j = schedule.axes 2 of %B
  schedule.compute_at %B, %C, %y
  schedule.store_root %B
  schedule.fold_storage %j factor 8
}

// -----

// Element by element the step reads what the same time would overwrite.
// CHECK: error: infer-bounds: cannot fold axis t of "S" by 1: S[1, 0] and S[2, 0] would share memory, and both are needed at the same time (here m = 1); the smallest factor is 2
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
  schedule.fold_storage %t factor 1
}

// -----

// Two times back are needed, though the step is computed for all of a time.
// CHECK: error: infer-bounds: cannot fold axis t of "S" by 1: S[0, 0] and S[1, 0] would share memory, and both are needed at the same time (here m = 1); the smallest factor is 2
te.func @back(%m: index, %X: tensor<2x8xf32>) -> (tensor<1x8xf32>) {
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
schedule.sequence @s on @back {
  %S = schedule.get "S"
  %next = schedule.get "next"
  %t, %x = schedule.axes 2 of %S
  schedule.fold_storage %t factor 1
}
