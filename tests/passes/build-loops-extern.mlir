// RUN: teloom-opt %s -p build-loops | filecheck %s

// The body stands where the extern is computed, with buffers of the regions; each result is
// stored as a whole, and has a shape of its own.
// CHECK-LABEL: func.func @body
// CHECK: %A_1 = loop.bind %A [0 : %n] : memref<?xf32>
// CHECK: %B = loop.realize "B" [0 : %n] : !loop.tensor<1, f32>
// CHECK-NEXT: %D = loop.realize "B" [0 : 4, 0 : 2] : !loop.tensor<2, f32>
// CHECK-NEXT: %0 = loop.buffer %A_1[0 : %n] : memref<?xf32>
// CHECK-NEXT: %1 = loop.buffer %B[0 : %n] aligned 64 : memref<?xf32>
// CHECK-NEXT: %2 = loop.buffer %D[1 : 1, 0 : 2] factor 2 : memref<1x2xf32, strided<[2, 1], offset: ?>>
// CHECK-NEXT: loop.for %i = 0 to %n {
// CHECK-NEXT: %v = memref.load %0[%i] : memref<?xf32>
// CHECK-NEXT: memref.store %v, %1[%i] : memref<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: loop.for
te.func @body(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B, %D = schedule.stage "B" () : tensor<?xf32>, tensor<4x2xf32> {
    schedule.order none
    schedule.region []
    schedule.extern (%b: tensor<?xf32>[%n], %d: tensor<4x2xf32>) {
      %0 = te.buffer %A[0 : %n] : memref<?xf32>
      %1 = te.buffer %b[0 : %n] aligned 64 : memref<?xf32>
      %2 = te.buffer %d[1 : 1, 0 : 2] factor 2 : memref<1x2xf32, strided<[2, 1], offset: ?>>
      loop.for %i = 0 to %n {
        %v = memref.load %0[%i] : memref<?xf32>
        memref.store %v, %1[%i] : memref<?xf32>
      }
    }
  }
  %C = schedule.stage "C" (%x = %n) : tensor<?xf32> {
    schedule.order %x
    schedule.region [0 : %n]
    schedule.range %x = 0 to %n
    schedule.equation (%x_1) {
      %3 = te.read %B[%x_1] : f32
      %4 = te.read %D[0, 0] : f32
      %5 = arith.addf %3, %4 : f32
      te.yield %5 : f32
    }
  }
  te.return %C : tensor<?xf32>
}
