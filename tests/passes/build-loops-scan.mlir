// RUN: teloom-opt %s -p te-to-loops | filecheck %s
// RUN: teloom-opt %s -p te-to-memref | filecheck %s --check-prefix MEMORY

// The steps stand in the loop of time, with storage for one step, and read the result's own
// storage; then the element of that time is stored.
// CHECK-LABEL: func.func @sums
// CHECK: %S_1 = loop.bind %S [0 : %m, 0 : 4]
// CHECK: loop.for %t = 0 to %m {
// CHECK-NEXT: %next = loop.realize "next" [%t : 1, 0 : 4] : !loop.tensor<2, f32>
// CHECK-NEXT: loop.if (%t - 1 >= 0) {
// CHECK-NEXT: loop.for %j = 0 to 4 {
// CHECK-NEXT: %sum = loop.load %S_1[%t - 1, %j] : f32
// CHECK: loop.store %new, %next[%t, %j] : f32
// CHECK: loop.for %i_1 = 0 to 4 {
// CHECK: loop.load %first[%t, %i_1] : f32
// CHECK: loop.load %next[%t, %i_1] : f32
// CHECK: loop.store %{{.*}}, %S_1[%t, %i_1] : f32
// MEMORY-LABEL: func.func @sums
// MEMORY: loop.for %t = 0 to %m {
// MEMORY-NEXT: %next = memref.alloca() {alignment = 16 : i64} : memref<4xf32>
// MEMORY: %[[at:.*]] = affine.apply affine_map<(d0, d1) -> ((((d0 * 4) + d1) + -4))> (%t, %j)
// MEMORY-NEXT: %sum = memref.load %S[%[[at]]] : memref<?xf32>
// MEMORY: memref.store %new, %next[%j] : memref<4xf32>
te.func @sums(%m: index, %X: tensor<?x4xf32>[%m, 4]) -> (tensor<?x4xf32>) {
  %first = te.compute "first" (%t = 1, %i = 4) : tensor<1x4xf32> {
    %x = te.read %X[%t, %i] : f32
    te.yield %x : f32
  }
  %S = te.scan "S" (%t = %m, %i = 4) init %first until 1 state %s : tensor<?x4xf32> {
    %next = te.compute "next" (%u = %m, %j = 4) : tensor<?x4xf32> {
      %sum = te.read %s[%u - 1, %j] : f32
      %x = te.read %X[%u, %j] : f32
      %new = arith.addf %sum, %x : f32
      te.yield %new : f32
    }
    te.yield %next : tensor<?x4xf32>
  }
  te.return %S : tensor<?x4xf32>
}

// Both results are stored, though one is read by the steps alone.
// CHECK-LABEL: func.func @two
// CHECK: %S = loop.realize "S" [0 : 8] : !loop.tensor<1, f32>
// CHECK-NEXT: %T = loop.realize "S" [0 : 8] : !loop.tensor<1, i32>
// CHECK-NEXT: loop.for %t = 0 to 8 {
// CHECK: loop.load %S[%t - 1] : f32
// CHECK-NEXT: loop.load %T[%t - 1] : i32
// CHECK: loop.store %{{.*}}, %S[%t] : f32
// CHECK-NEXT: loop.store %{{.*}}, %T[%t] : i32
te.func @two(%X: tensor<1xf32>, %Y: tensor<1xi32>) -> (tensor<8xf32>) {
  %S, %T = te.scan "S" (%t = 8) init %X, %Y until 1 state %s, %c : tensor<8xf32>, tensor<8xi32> {
    %a, %b = te.compute "step" (%u = 8) : tensor<8xf32>, tensor<8xi32> {
      %0 = te.read %s[%u - 1] : f32
      %1 = te.read %c[%u - 1] : i32
      %2 = arith.sitofp %1 : i32 to f32
      %3 = arith.addf %0, %2 : f32
      te.yield %3, %1 : f32, i32
    }
    te.yield %a, %b : tensor<8xf32>, tensor<8xi32>
  }
  %C = te.compute "C" (%i = 8) : tensor<8xf32> {
    %0 = te.read %S[%i] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<8xf32>
}
