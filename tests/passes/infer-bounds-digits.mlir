// RUN: teloom-opt %s --split-input-file -p infer-bounds,check-schedule 2>&1 | filecheck %s

// Subscripts that are all digits of one number say which number it is. So what is needed of a
// reshape of which every third column is read has a short guard, and it is proved that each read
// finds its value.
te.func @every_third_column(%A: tensor<24x4x24xf32>) -> (tensor<18x43xf32>) {
  %B = schedule.stage "B" (%i = 24, %j = 4, %k = 24) : tensor<24x4x24xf32> {
    %f = schedule.fuse %i, %j
    schedule.order %f, %k
    schedule.equation (%i_1, %j_1, %k_1) {
      %r = te.read %A[%i_1, %j_1, %k_1] : f32
      te.yield %r : f32
    }
  }
  %C = schedule.stage "C" (%y = 18, %x = 128) : tensor<18x128xf32> {
    schedule.order %y, %x
    schedule.equation (%y_1, %x_1) {
      %r = te.read %B[(%y_1 * 128 + %x_1) floordiv 96, (%y_1 * 128 + %x_1) floordiv 24 mod 4, (%y_1 * 128 + %x_1) mod 24] : f32
      te.yield %r : f32
    }
  }
  %D = schedule.stage "D" (%p = 18, %q = 43) : tensor<18x43xf32> {
    schedule.order %p, %q
    schedule.equation (%p_1, %q_1) {
      %r = te.read %C[%p_1, %q_1 * 3] : f32
      te.yield %r : f32
    }
  }
  te.return %D : tensor<18x43xf32>
}

// CHECK-NOT:   it is not proved
// CHECK-LABEL: te.func @every_third_column
// CHECK-NEXT:    %B = schedule.stage "B"
// CHECK-NEXT:      %f = schedule.fuse %i, %j
// CHECK-NEXT:      schedule.order %f, %k
// CHECK-NEXT:      schedule.region [0 : 24, 0 : 4, 0 : 24]
// CHECK-NEXT:      schedule.range %f = 0 to 96
// CHECK-NEXT:      schedule.range %k = 0 to 24
// CHECK:           schedule.guard ((%f * 8 + %k * 43 + 85) mod 128 - 85 >= 0)
// CHECK-NEXT:      schedule.equation

// -----

// In a loop of a reshape that is read by another one, what is needed is exact, too; a hull would
// have no guards.
te.func @in_a_reshape(%A: tensor<15x7x12xf32>) -> (tensor<6x14xf32>) {
  %C = schedule.stage "C" (%y = 210, %x = 6) : tensor<210x6xf32> {
    schedule.order %y, %x
    %B = schedule.stage "B" at %y (%i = 15, %j = 7, %k = 12) : tensor<15x7x12xf32> {
      schedule.order %i, %j, %k
      schedule.equation (%i_1, %j_1, %k_1) {
        %r = te.read %A[%i_1, %j_1, %k_1] : f32
        te.yield %r : f32
      }
    }
    schedule.equation (%y_1, %x_1) {
      %r = te.read %B[(%y_1 * 6 + %x_1) floordiv 84, (%y_1 * 6 + %x_1) floordiv 12 mod 7, (%y_1 * 6 + %x_1) mod 12] : f32
      te.yield %r : f32
    }
  }
  %D = schedule.stage "D" (%u = 18, %v = 70) : tensor<18x70xf32> {
    schedule.order %u, %v
    schedule.equation (%u_1, %v_1) {
      %r = te.read %C[(%u_1 * 70 + %v_1) floordiv 6, (%u_1 * 70 + %v_1) mod 6] : f32
      te.yield %r : f32
    }
  }
  %E = schedule.stage "E" (%p = 6, %q = 14) : tensor<6x14xf32> {
    schedule.order %p, %q
    schedule.equation (%p_1, %q_1) {
      %r = te.read %D[%p_1 * 3, %q_1 * 5] : f32
      te.yield %r : f32
    }
  }
  te.return %E : tensor<6x14xf32>
}

// CHECK-LABEL: te.func @in_a_reshape
// CHECK:         %C = schedule.stage "C"
// CHECK-NEXT:      schedule.order %y, %x
// CHECK-NEXT:      schedule.region [0 : 186, 0 : 6]
// CHECK:           %B = schedule.stage "B" at %y
// CHECK-NEXT:        schedule.order %i, %j, %k
// CHECK-NEXT:        schedule.region [%y floordiv 14 : 1, %y floordiv 2 mod 7 : 1, %y mod 2 * 6 : 6]
// CHECK:             schedule.guard (
// CHECK-NEXT:        schedule.equation
// CHECK-NOT:   it is not proved
