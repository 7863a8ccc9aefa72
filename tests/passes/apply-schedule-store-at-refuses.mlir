// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// A loop that the stage is not computed in.
// CHECK: error: apply-schedule: cannot store "B" at axis C.x: it is not computed inside that loop; legal places: the root, C.y
te.func @elsewhere(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @s on @elsewhere {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %y
  schedule.store_at %B, %C, %x
}

// -----

// At the root there is no loop around.
// CHECK: error: apply-schedule: cannot store "B" at axis C.y: it is not computed inside that loop; legal places: the root
te.func @at_the_root(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @s on @at_the_root {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.store_at %B, %C, %y
}

// -----

// An axis of another stage than the one named.
// CHECK: error: apply-schedule: cannot store "B" at axis y of "B": the axis belongs to "C"
te.func @of_another(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @s on @of_another {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.store_at %B, %B, %y
}

// -----

// The axis stays where it was, the stage moves on.
// CHECK: error: apply-schedule: cannot store "B" at axis C.y: it is not computed inside that loop; legal places: the root
te.func @moved(%A: tensor<66x64xf32>) -> (tensor<64x64xf32>) {
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
schedule.sequence @s on @moved {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  schedule.compute_at %B, %C, %y
  schedule.store_at %B, %C, %y
  schedule.compute_root %B
}

// -----

// CHECK: error: apply-schedule: cannot store "B" at axis C.y: it is an output, which the caller stores; legal places: the root
te.func @output(%A: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %B = te.compute "B" (%x = 12) : tensor<12xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 12) : tensor<12xf32> {
    %b = te.read %B[%y] : f32
    te.yield %b : f32
  }
  te.return %B, %C : tensor<12xf32>, tensor<12xf32>
}
schedule.sequence @s on @output {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y = schedule.axes 1 of %C
  schedule.compute_at %B, %C, %y
  schedule.store_at %B, %C, %y
}
