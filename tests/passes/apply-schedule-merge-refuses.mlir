// RUN: not teloom-opt %s --split-input-file -p te-to-loops 2>&1 | filecheck %s

// CHECK: error: apply-schedule: merge of two axes of "B": loops of one stage are joined by fuse
te.func @one_stage(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<12x8xf32>
}
schedule.sequence @s on @one_stage {
  %B = schedule.get "B"
  %i, %j = schedule.axes 2 of %B
  schedule.merge %i, %B, %j
}

// -----

// CHECK: error: apply-schedule: merge of axis j, which is in 1 loops of "B", with axis y, which is in 0 of "C": only loops at one depth can be one
te.func @depths(%A: tensor<12x8xf32>) -> (tensor<12x8xf32>, tensor<8x4xf32>) {
  %B = te.compute "B" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 8, %x = 4) : tensor<8x4xf32> {
    %a = te.read %A[%y, %x] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<12x8xf32>, tensor<8x4xf32>
}
schedule.sequence @s on @depths {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %B
  %y, %x = schedule.axes 2 of %C
  schedule.merge %j, %C, %y
}

// -----

// CHECK: error: build-loops: axis y of stage "C" and axis i of "B" are merged, but have different extents; compute_with lets a loop run through both
te.func @extents(%A: tensor<12xf32>) -> (tensor<12xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 8) : tensor<8xf32> {
    %a = te.read %A[%y] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<12xf32>, tensor<8xf32>
}
schedule.sequence @s on @extents {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i = schedule.axes 1 of %B
  %y = schedule.axes 1 of %C
  schedule.merge %i, %C, %y
}
