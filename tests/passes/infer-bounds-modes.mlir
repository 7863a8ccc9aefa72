// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s --check-prefixes=CHECK,EXACT
// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{mode=hull}' | filecheck %s --check-prefixes=CHECK,HULL
// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{mode=box}' | filecheck %s --check-prefixes=CHECK,BOX
// RUN: teloom-opt %s --split-input-file -p 'infer-bounds{budget=10}' | filecheck %s --check-prefixes=CHECK,BOX

// Two squares on the diagonal: exactly 8 elements, or all 16 around them.
te.func @two_squares(%A: tensor<4x4xf32>) -> (tensor<2x2xf32>) {
  %T = schedule.stage "T" (%i = 4, %j = 4) : tensor<4x4xf32> {
    schedule.order %i, %j
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%y = 2, %x = 2) : tensor<2x2xf32> {
    schedule.order %y, %x
    schedule.equation (%y_1, %x_1) {
      %r0 = te.read %T[%y_1, %x_1] : f32
      %r1 = te.read %T[%y_1 + 2, %x_1 + 2] : f32
      %s = arith.addf %r0, %r1 : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<2x2xf32>
}

// CHECK-LABEL: te.func @two_squares
// EXACT:         schedule.region [0 : 4, 0 : 4]
// HULL:          schedule.region hull [0 : 4, 0 : 4]
// BOX:           schedule.region box [0 : 4, 0 : 4]
// CHECK-NEXT:    schedule.range %i = 0 to 4
// CHECK-NEXT:    schedule.range %j = 0 to 4
// EXACT-NEXT:    schedule.guard (%i - 2 >= 0, %j - 2 >= 0) or (%i * -1 + 1 >= 0, %j * -1 + 1 >= 0)
// CHECK-NEXT:    schedule.equation

// -----

// Every third element: exactly those, or all from the first to the last, or all of the box.
te.func @every_third(%A: tensor<64xf32>) -> (tensor<20xf32>) {
  %C = schedule.stage "C" (%y = 20) : tensor<20xf32> {
    %yo, %yi = schedule.split %y factor 8
    schedule.order %yo, %yi
    %T = schedule.stage "T" at %yo (%i = 64) : tensor<64xf32> {
      schedule.order %i
      schedule.equation (%i_1) {
        %a = te.read %A[%i_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%y_1) {
      %r = te.read %T[%y_1 * 3] : f32
      te.yield %r : f32
    }
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: te.func @every_third
// CHECK:         schedule.stage "T" at %yo
// EXACT:         schedule.range %i = %yo * 24 to min(58, %yo * 24 + 22)
// EXACT-NEXT:    schedule.guard (%i mod 3 == 0)
// HULL:          schedule.range %i = %yo * 24 to min(58, %yo * 24 + 22)
// BOX:           schedule.range %i = %yo * 24 to min(64, %yo * 24 + 22)
// CHECK-NEXT:    schedule.equation
