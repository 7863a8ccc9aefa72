// RUN: teloom-opt %s --split-input-file -p build-loops | filecheck %s

// A loop that runs once is its lower bound: of the split one loop is left, of B's axes one for its
// three rows.
te.func @left_out(%A: tensor<14x8xf32>) -> (tensor<12x8xf32>) {
  %C = schedule.stage "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %io, %ii = schedule.split %i factor 12
    schedule.order %io, %ii, %j
    schedule.region [0 : 12, 0 : 8]
    schedule.range %io = 0 to 1
    schedule.range %ii = 0 to 12
    schedule.range %j = 0 to 8
    schedule.range %i = 0 to 12
    schedule.value %i = %io * 12 + %ii
    %B = schedule.stage "B" at %j (%x = 14, %y = 8) : tensor<14x8xf32> {
      schedule.order %x, %y
      schedule.region [%ii : 3, %j : 1]
      schedule.range %x = %ii to %ii + 3
      schedule.range %y = %j to %j + 1
      schedule.equation (%x_1, %y_1) {
        %r0 = te.read %A[%x_1, %y_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%i_1, %j_1) {
      %r0 = te.read %B[%i_1, %j_1] : f32
      %r1 = te.read %B[%i_1 + 2, %j_1] : f32
      %r2 = te.read %B[%i_1 + 1, %j_1] : f32
      %t1 = arith.addf %r0, %r1 : f32
      %t2 = arith.addf %t1, %r2 : f32
      te.yield %t2 : f32
    }
  }
  te.return %C : tensor<12x8xf32>
}

// CHECK-LABEL: func.func @left_out
// CHECK:        loop.for %ii = 0 to 12 {
// CHECK-NEXT:     loop.for %j = 0 to 8 {
// CHECK-NEXT:       %B = loop.realize "B" [%ii : 3, %j : 1] : !loop.tensor<2, f32>
// CHECK-NEXT:       loop.for %x = %ii to %ii + 3 {
// CHECK-NEXT:         %r0 = loop.load %A_1[%x, %j] : f32
// CHECK-NEXT:         loop.store %r0, %B[%x, %j] : f32
// CHECK:            %r0_1 = loop.load %B[%ii, %j] : f32
// CHECK-NEXT:       %r1 = loop.load %B[%ii + 2, %j] : f32
// CHECK:            loop.store %t2, %C_1[%ii, %j] : f32
