// RUN: teloom-opt %s -p te-to-memref | filecheck %s

// The step of one time is stored in as many elements as one time has; it reads the result's own
// memory, one time back.
// CHECK-LABEL: func.func @sums
// CHECK: loop.for %t = 0 to %m {
// CHECK-NEXT: %next = memref.alloca() {alignment = 16 : i64} : memref<4xf32>
// CHECK: %[[at:.*]] = affine.apply affine_map<(d0, d1) -> ((((d0 * 4) + d1) + -4))> (%t, %j)
// CHECK-NEXT: %sum = memref.load %S[%[[at]]] : memref<?xf32>
// CHECK: memref.store %new, %next[%j] : memref<4xf32>
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
