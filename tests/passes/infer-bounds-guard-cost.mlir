// RUN: teloom-opt %s --split-input-file -p infer-bounds 2>&1 | filecheck %s

// Of 10x10 elements around a tile, four corners are not read. To leave them out, every element
// would be tested.
te.func @corners(%A: tensor<18x18xf32>) -> (tensor<16x16xf32>) {
  %C = schedule.stage "C" (%y = 16, %x = 16) : tensor<16x16xf32> {
    %yo, %yi = schedule.split %y factor 8
    %xo, %xi = schedule.split %x factor 8
    schedule.order %yo, %xo, %yi, %xi
    %B = schedule.stage "B" at %xo (%i = 18, %j = 18) : tensor<18x18xf32> {
      schedule.order %i, %j
      schedule.equation (%i_1, %j_1) {
        %a = te.read %A[%i_1, %j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%y_1, %x_1) {
      %up = te.read %B[%y_1, %x_1 + 1] : f32
      %left = te.read %B[%y_1 + 1, %x_1] : f32
      %right = te.read %B[%y_1 + 1, %x_1 + 2] : f32
      %down = te.read %B[%y_1 + 2, %x_1 + 1] : f32
      %0 = arith.addf %up, %left : f32
      %1 = arith.addf %right, %down : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<16x16xf32>
}

// CHECK: remark: stage "B" is computed as a hull, for a guard would save less than one element of 4; mode "exact" of the stage guards it all the same; at all places together 400 elements are computed, 384 are needed
// CHECK-LABEL: te.func @corners
// CHECK:          schedule.region hull [%yo * 8 : 10, %xo * 8 : 10]
// CHECK-NOT:      schedule.guard

// -----

// What a stage says counts.
te.func @asked(%A: tensor<18x18xf32>) -> (tensor<16x16xf32>) {
  %C = schedule.stage "C" (%y = 16, %x = 16) : tensor<16x16xf32> {
    %yo, %yi = schedule.split %y factor 8
    %xo, %xi = schedule.split %x factor 8
    schedule.order %yo, %xo, %yi, %xi
    %B = schedule.stage "B" at %xo mode "exact" (%i = 18, %j = 18) : tensor<18x18xf32> {
      schedule.order %i, %j
      schedule.equation (%i_1, %j_1) {
        %a = te.read %A[%i_1, %j_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%y_1, %x_1) {
      %up = te.read %B[%y_1, %x_1 + 1] : f32
      %left = te.read %B[%y_1 + 1, %x_1] : f32
      %right = te.read %B[%y_1 + 1, %x_1 + 2] : f32
      %down = te.read %B[%y_1 + 2, %x_1 + 1] : f32
      %0 = arith.addf %up, %left : f32
      %1 = arith.addf %right, %down : f32
      %2 = arith.addf %0, %1 : f32
      te.yield %2 : f32
    }
  }
  te.return %C : tensor<16x16xf32>
}

// CHECK-LABEL: te.func @asked
// CHECK:          schedule.region [%yo * 8 : 10, %xo * 8 : 10]
// CHECK:          schedule.guard
