// RUN: teloom-opt %s -p infer-bounds | filecheck %s

// What is read at a place says which points run there, and these say which slices the stage in
// their loop computes. A point runs as a whole: 40 elements are in at most 3 blocks.
// CHECK-LABEL: te.func @chain
// CHECK: %C = schedule.stage "C" at %yo (%i = %n)
// CHECK: schedule.region [%yo * 5 floordiv 2 : 3]
// CHECK-NEXT: schedule.range %i = %yo * 5 floordiv 2 to min(%yo * 5 floordiv 2 + 3, %n)
// CHECK-NEXT: %P = schedule.stage "P" at %i (%x = %n * 16)
// CHECK-NEXT: schedule.order %x
// CHECK-NEXT: schedule.region [%i * 16 : 16]
// CHECK-NEXT: schedule.range %x = %i * 16 to %i * 16 + 16
te.func @chain(%n: index, %A: tensor<?xf32>[%n * 16]) -> (tensor<?xf32>) {
  %D = schedule.stage "D" (%y = %n * 16) : tensor<?xf32> {
    %yo, %yi = schedule.split %y factor 40
    schedule.order %yo, %yi
    %C = schedule.stage "C" at %yo (%i = %n) : tensor<?xf32> {
      schedule.order %i
      %P = schedule.stage "P" at %i (%x = %n * 16) : tensor<?xf32> {
        schedule.order %x
        schedule.equation (%x_1) {
          %a = te.read %A[%x_1] : f32
          te.yield %a : f32
        }
      }
      schedule.extern (%i_1) (%c: tensor<?xf32>[%n * 16]) {
        %0 = te.buffer %P[%i_1 * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
        %1 = te.buffer %c[%i_1 * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
      }
    }
    schedule.equation (%y_1) {
      %c = te.read %C[%y_1] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<?xf32>
}

// Points that nothing reads do not run.
// CHECK-LABEL: te.func @some
// CHECK: schedule.region [1 : 3]
// CHECK-NEXT: schedule.range %i = 1 to 4
// CHECK-NEXT: schedule.guard ((%i + 1) mod 2 == 0)
te.func @some() -> (tensor<2xf32>) {
  %C = schedule.stage "C" (%i = 8) : tensor<8x4xf32> {
    schedule.order %i
    schedule.extern (%i_1) (%c: tensor<8x4xf32>) {
      %0 = te.buffer %c[%i_1 : 1, 0 : 4] : memref<4xf32, strided<[1], offset: ?>>
    }
  }
  %D = schedule.stage "D" (%y = 2) : tensor<2xf32> {
    schedule.order %y
    schedule.equation (%y_1) {
      %c = te.read %C[%y_1 * 2 + 1, 3] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<2xf32>
}

// Slices may lie in any order, as long as each element is in one: here those of j = 1 are behind
// all those of j = 0.
// CHECK-LABEL: te.func @interleaved
// CHECK: schedule.range %i = 0 to 3
// CHECK: schedule.range %j = 0 to 2
te.func @interleaved() -> (tensor<12xf32>) {
  %C = schedule.stage "C" (%i = 3, %j = 2) : tensor<12xf32> {
    schedule.order %i, %j
    schedule.extern (%i_1, %j_1) (%c: tensor<12xf32>) {
      %0 = te.buffer %c[%i_1 * 2 + %j_1 * 6 : 2] : memref<2xf32, strided<[1], offset: ?>>
    }
  }
  te.return %C : tensor<12xf32>
}
