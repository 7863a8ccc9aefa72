// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds 2>&1 | filecheck %s

// Of 10x10 elements around a tile, four corners are not read. To leave them out, every element
// would be tested.
te.func @corners(%A: tensor<18x18xf32>) -> (tensor<16x16xf32>) {
  %B = te.compute "B" (%i = 18, %j = 18) : tensor<18x18xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 16, %x = 16) : tensor<16x16xf32> {
    %up = te.read %B[%y, %x + 1] : f32
    %left = te.read %B[%y + 1, %x] : f32
    %right = te.read %B[%y + 1, %x + 2] : f32
    %down = te.read %B[%y + 2, %x + 1] : f32
    %0 = arith.addf %up, %left : f32
    %1 = arith.addf %right, %down : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<16x16xf32>
}
schedule.sequence @s on @corners {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 8, 8
  schedule.compute_at %B, %C, %xo
}

// CHECK: remark: stage "B" is computed as a hull, for a guard would save less than one element of 4; mode "exact" of the stage guards it all the same; at all places together 400 elements are computed, 384 are needed
// CHECK-LABEL: te.func @corners
// CHECK:          schedule.region hull [%yo * 8 : 10, %xo * 8 : 10]
// CHECK-NOT:      schedule.guard

// -----

// What a stage says counts.
te.func @asked(%A: tensor<18x18xf32>) -> (tensor<16x16xf32>) {
  %B = te.compute "B" (%i = 18, %j = 18) : tensor<18x18xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 16, %x = 16) : tensor<16x16xf32> {
    %up = te.read %B[%y, %x + 1] : f32
    %left = te.read %B[%y + 1, %x] : f32
    %right = te.read %B[%y + 1, %x + 2] : f32
    %down = te.read %B[%y + 2, %x + 1] : f32
    %0 = arith.addf %up, %left : f32
    %1 = arith.addf %right, %down : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<16x16xf32>
}
schedule.sequence @s on @asked {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 8, 8
  schedule.compute_at %B, %C, %xo
  schedule.set_mode %B "exact"
}

// CHECK-LABEL: te.func @asked
// CHECK:          schedule.region [%yo * 8 : 10, %xo * 8 : 10]
// CHECK:          schedule.guard
