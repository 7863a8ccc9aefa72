// RUN: teloom-opt %s -p apply-schedule,infer-bounds,build-loops | filecheck %s
// XFAIL: *

// No element of B is read. `build-loops` leaves a loop that never runs, and storage without
// elements; it should leave neither.
te.func @never(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = te.compute "B" (%x = 20) : tensor<20xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 20) : tensor<20xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<20xf32>
}

// CHECK-LABEL: func.func @never
// CHECK-NEXT:    %A_1 = loop.bind %A [0 : 20] : memref<20xf32>
// CHECK-NEXT:    %C_1 = loop.bind %C [0 : 20] : memref<20xf32>
// CHECK-NEXT:    loop.for %i = 0 to 20 {
