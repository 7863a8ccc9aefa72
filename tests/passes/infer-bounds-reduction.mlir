// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// A reduce axis runs where it is declared, not from 0.
te.func @start(%A: tensor<4x10xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 10) : tensor<4xf32> {
    schedule.order %i, %k
    schedule.equation (%i_1, %k_1) {
      %r0 = te.read %A[%i_1, %k_1] : f32
      te.yield %r0 : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: te.func @start
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 10) : tensor<4xf32>
// CHECK-NEXT:     schedule.order %i, %k
// CHECK-NEXT:     schedule.region [0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %k = 2 to 10

// -----

// A split of it counts from 0; the axis' value adds the start.
te.func @split(%A: tensor<4x10xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 10) : tensor<4xf32> {
    %ko, %ki = schedule.split %k factor 3
    schedule.order %i, %ko, %ki
    schedule.equation (%i_1, %k_1) {
      %r0 = te.read %A[%i_1, %k_1] : f32
      te.yield %r0 : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: te.func @split
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 10) : tensor<4xf32>
// CHECK-NEXT:     %ko, %ki = schedule.split %k factor 3
// CHECK-NEXT:     schedule.order %i, %ko, %ki
// CHECK-NEXT:     schedule.region [0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %ko = 0 to 3
// CHECK-NEXT:     schedule.range %ki = 0 to min(3, %ko * -3 + 8)
// CHECK-NEXT:     schedule.range %k = 2 to 10
// CHECK-NEXT:     schedule.value %k = %ko * 3 + %ki + 2

// -----

// What is read at a part of the reduction is computed there.
te.func @producer(%A: tensor<4x10xf32>) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 10) : tensor<4xf32> {
    %ko, %ki = schedule.split %k factor 4
    schedule.order %i, %ko, %ki
    %B = schedule.stage "B" at %ko (%x = 4, %y = 10) : tensor<4x10xf32> {
      schedule.order %x, %y
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %k_1) {
      %r0 = te.read %B[%i_1, %k_1] : f32
      te.yield %r0 : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: te.func @producer
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to 10) : tensor<4xf32>
// CHECK-NEXT:     %ko, %ki = schedule.split %k factor 4
// CHECK-NEXT:     schedule.order %i, %ko, %ki
// CHECK-NEXT:     schedule.region [0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %ko = 0 to 2
// CHECK-NEXT:     schedule.range %ki = 0 to 4
// CHECK-NEXT:     schedule.range %k = 2 to 10
// CHECK-NEXT:     schedule.value %k = %ko * 4 + %ki + 2
// CHECK-NEXT:     %B = schedule.stage "B" at %ko (%x = 4, %y = 10) : tensor<4x10xf32>
// CHECK-NEXT:       schedule.order %x, %y
// CHECK-NEXT:       schedule.region [%i : 1, %ko * 4 + 2 : 4]
// CHECK-NEXT:       schedule.range %x = %i to %i + 1
// CHECK-NEXT:       schedule.range %y = %ko * 4 + 2 to %ko * 4 + 6

// -----

// A reduction inside another stage computes the rows that are read, each in full.
te.func @inside(%A: tensor<8x10xf32>) -> (tensor<8xf32>) {
  %D = schedule.stage "D" (%z = 8) : tensor<8xf32> {
    %zo, %zi = schedule.split %z factor 4
    schedule.order %zo, %zi
    %S = schedule.stage "S" at %zo (%i = 8) reduce (%k = 2 to 10) : tensor<8xf32> {
      schedule.order %i, %k
      schedule.equation (%i_1, %k_1) {
        %r0 = te.read %A[%i_1, %k_1] : f32
        te.yield %r0 : f32
      } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
        %s = arith.addf %p, %q : f32
        te.yield %s : f32
      }
    }
    schedule.equation (%z_1) {
      %r0 = te.read %S[%z_1] : f32
      te.yield %r0 : f32
    }
  }
  te.return %D : tensor<8xf32>
}

// CHECK-LABEL: te.func @inside
// CHECK-NEXT:   %D = schedule.stage "D" (%z = 8) : tensor<8xf32>
// CHECK-NEXT:     %zo, %zi = schedule.split %z factor 4
// CHECK-NEXT:     schedule.order %zo, %zi
// CHECK-NEXT:     schedule.region [0 : 8]
// CHECK-NEXT:     schedule.range %zo = 0 to 2
// CHECK-NEXT:     schedule.range %zi = 0 to 4
// CHECK-NEXT:     schedule.range %z = 0 to 8
// CHECK-NEXT:     schedule.value %z = %zo * 4 + %zi
// CHECK-NEXT:     %S = schedule.stage "S" at %zo (%i = 8) reduce (%k = 2 to 10) : tensor<8xf32>
// CHECK-NEXT:       schedule.order %i, %k
// CHECK-NEXT:       schedule.region [%zo * 4 : 4]
// CHECK-NEXT:       schedule.range %i = %zo * 4 to %zo * 4 + 4
// CHECK-NEXT:       schedule.range %k = 2 to 10

// -----

// A symbolic reduction in parts: the start is part of the value, and of the guard.
te.func @parts(%n: index, %A: tensor<4x?xf32>[4, %n + 2]) -> (tensor<4xf32>) {
  %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to %n + 2) : tensor<4xf32> {
    %ko, %ki = schedule.split %k nparts 2
    schedule.order %i, %ko, %ki
    schedule.equation (%i_1, %k_1) {
      %r0 = te.read %A[%i_1, %k_1] : f32
      te.yield %r0 : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<4xf32>
}

// CHECK-LABEL: te.func @parts
// CHECK-NEXT:   %S = schedule.stage "S" (%i = 4) reduce (%k = 2 to %n + 2) : tensor<4xf32>
// CHECK-NEXT:     %ko, %ki = schedule.split %k nparts 2
// CHECK-NEXT:     schedule.order %i, %ko, %ki
// CHECK-NEXT:     schedule.region [0 : 4]
// CHECK-NEXT:     schedule.range %i = 0 to 4
// CHECK-NEXT:     schedule.range %ko = 0 to 2
// CHECK-NEXT:     schedule.range %ki = 0 to %n ceildiv 2
// CHECK-NEXT:     schedule.range %k = 2 to %n + 2
// CHECK-NEXT:     schedule.guard (%n - %k + 1 >= 0)
