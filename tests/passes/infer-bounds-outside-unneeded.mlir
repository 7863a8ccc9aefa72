// RUN: teloom-opt %s -p 'infer-bounds{budget=10}' | filecheck %s
// RUN: teloom-opt %s -p 'infer-bounds{mode=box}' | filecheck %s

// A box around the elements 0, 3 and 6 holds others, which cannot be computed: they read beyond A.
// Nothing needs them, so that the program is right: the stage is computed exactly after all.
te.func @every_third(%A: tensor<7xf32>) -> (tensor<3xf32>) {
  %B = schedule.stage "B" (%x = 7) : tensor<7xf32> {
    schedule.order %x
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1 + %x_1 mod 3 * 100] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" (%i = 3) : tensor<3xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %b = te.read %B[%i_1 * 3] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<3xf32>
}

// CHECK-LABEL: te.func @every_third
// CHECK-NEXT:    %B = schedule.stage "B"
// CHECK-NEXT:      schedule.order %x
// CHECK-NEXT:      schedule.region [0 : 7]
// CHECK-NEXT:      schedule.range %x = 0 to 7
// CHECK-NEXT:      schedule.guard (%x mod 3 == 0)
