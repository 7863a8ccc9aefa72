// RUN: teloom-opt %s -p build-loops | filecheck %s

// The body stands in the loops over the points, with the slices of each. Of the result, what
// these points fill is stored.
// CHECK-LABEL: func.func @blocks
// CHECK: loop.for %y = 0 to 4 {
// CHECK-NEXT: %C = loop.realize "C" [%y * 32 : 32] : !loop.tensor<1, f32>
// CHECK-NEXT: loop.for %i = %y * 2 to %y * 2 + 2 {
// CHECK-NEXT: %0 = loop.buffer %A_1[%i * 16 : 16] factor 16 : memref<16xf32, strided<[1], offset: ?>>
// CHECK-NEXT: %1 = loop.buffer %C[%i * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
// CHECK-NEXT: %2 = arith.index_cast %i : index to i64
// CHECK-NEXT: "test.op"(%0, %1, %2)
// CHECK-NEXT: }
// CHECK-NEXT: loop.for %x = 0 to 32 {
te.func @blocks(%A: tensor<128xf32>) -> (tensor<4x32xf32>) {
  %D = schedule.stage "D" (%y = 4, %x = 32) : tensor<4x32xf32> {
    schedule.order %y, %x
    schedule.region [0 : 4, 0 : 32]
    schedule.range %y = 0 to 4
    schedule.range %x = 0 to 32
    %C = schedule.stage "C" at %y (%i = 8) : tensor<128xf32> {
      schedule.order %i
      schedule.region [%y * 2 : 2]
      schedule.range %i = %y * 2 to %y * 2 + 2
      schedule.extern (%i_1) (%c: tensor<128xf32>) {
        %0 = te.buffer %A[%i_1 * 16 : 16] factor 16 : memref<16xf32, strided<[1], offset: ?>>
        %1 = te.buffer %c[%i_1 * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
        %2 = arith.index_cast %i_1 : index to i64
        "test.op"(%0, %1, %2) : (memref<16xf32, strided<[1], offset: ?>>, memref<16xf32, strided<[1], offset: ?>>, i64) -> ()
      }
    }
    schedule.equation (%y_1, %x_1) {
      %c = te.read %C[%y_1 * 32 + %x_1] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<4x32xf32>
}

// The init region runs over the data axes inside of the first reduce axis, in front of it.
// CHECK-LABEL: func.func @reduced
// CHECK: loop.for %i = 0 to 2 {
// CHECK-NEXT: loop.for %j = 0 to 4 {
// CHECK-NEXT: %0 = loop.buffer %C_1[%i : 1, %j * 8 : 8] : memref<8xf32, strided<[1], offset: ?>>
// CHECK-NEXT: "test.op"(%0)
// CHECK-NEXT: }
// CHECK-NEXT: loop.for %k = 0 to 3 {
// CHECK-NEXT: loop.for %j_1 = 0 to 4 {
// CHECK-NEXT: %1 = loop.buffer %C_1[%i : 1, %j_1 * 8 : 8] : memref<8xf32, strided<[1], offset: ?>>
// CHECK-NEXT: "test.op"(%1, %k)
te.func @reduced() -> (tensor<2x32xf32>) {
  %C = schedule.stage "C" (%i = 2, %j = 4) reduce (%k = 3) : tensor<2x32xf32> {
    schedule.order %i, %k, %j
    schedule.region [0 : 2, 0 : 4]
    schedule.range %i = 0 to 2
    schedule.range %k = 0 to 3
    schedule.range %j = 0 to 4
    schedule.extern (%i_1, %j_1, %k_1) (%c: tensor<2x32xf32>) {
      %0 = te.buffer %c[%i_1 : 1, %j_1 * 8 : 8] : memref<8xf32, strided<[1], offset: ?>>
      "test.op"(%0, %k_1) : (memref<8xf32, strided<[1], offset: ?>>, index) -> ()
    } init (%p, %q, %o) {
      %1 = te.buffer %o[%p : 1, %q * 8 : 8] : memref<8xf32, strided<[1], offset: ?>>
      "test.op"(%1) : (memref<8xf32, strided<[1], offset: ?>>) -> ()
    }
  }
  te.return %C : tensor<2x32xf32>
}
