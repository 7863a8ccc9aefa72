// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: error: apply-schedule: "D" does not read "B"; stages that do: "C"
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 8) : tensor<8xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %C[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %B = schedule.get "B"
  %D = schedule.get "D"
  %B2 = schedule.clone_in %B readers %D
}

// -----

// What is computed in B's loop alone is not there for the clone at the root.
// CHECK: error: apply-schedule: cannot compute "A1" at axis x of "B": not every read of it is inside that loop (readers: "B.clone", "B"); legal places: the root
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %A1 = te.compute "A1" (%i = 8) : tensor<8xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %B = te.compute "B" (%x = 8) : tensor<8xf32> {
    %b = te.read %A1[%x] : f32
    te.yield %b : f32
  }
  %C = te.compute "C" (%y = 8) : tensor<8xf32> {
    %c = te.read %B[%y] : f32
    te.yield %c : f32
  }
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @f {
  %A1 = schedule.get "A1"
  %B = schedule.get "B"
  %x = schedule.axes 1 of %B
  %C = schedule.get "C"
  schedule.compute_at %A1, %B, %x
  %B2 = schedule.clone_in %B readers %C
}

// -----

// CHECK: error: apply-schedule: cannot clone "S": it is a scan, whose steps read it; clone a step, or copy the scan by cache_read
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %first = te.compute "first" (%i = 1) : tensor<1xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %S = te.scan "S" (%t = 8) init %first until 1 state %s : tensor<8xf32> {
    %next = te.compute "next" (%u = 8) : tensor<8xf32> {
      %b = te.read %s[%u - 1] : f32
      te.yield %b : f32
    }
    te.yield %next : tensor<8xf32>
  }
  %D = te.compute "D" (%y = 8) : tensor<8xf32> {
    %c = te.read %S[%y] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<8xf32>
}
schedule.sequence @s on @f {
  %S = schedule.get "S"
  %D = schedule.get "D"
  %S2 = schedule.clone_in %S readers %D
}
