// RUN: teloom-opt %s -p 'vectorize-loops{bytes=32}' | filecheck %s

// Each of eight lanes has a row of four elements. Two rows that are four apart are joined to a vector,
// in which the squares of both are transposed side by side.
builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"vector_bytes" = 32 : i64>>} {
// CHECK-LABEL: func.func @rows
func.func @rows(%A: memref<128xf32>, %C: memref<128xf32>) {
  // CHECK: %[[P:.*]] = memref.alloca() {{.*}} : memref<32xf32>
  // CHECK: %[[FIRST:.*]] = vector.load %A[%{{.*}}] : memref<128xf32>, vector<4xf32>
  // CHECK-COUNT-7: vector.load %A[{{.*}}] : memref<128xf32>, vector<4xf32>
  // CHECK-NEXT: vector.shuffle %[[FIRST]], %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
  // CHECK-COUNT-3: vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7]
  // CHECK-NEXT: vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xf32>, vector<8xf32>
  // CHECK-COUNT-7: vector.shuffle
  // CHECK-COUNT-4: vector.store %{{.*}}, %[[P]]{{.*}} : memref<32xf32>, vector<8xf32>
  // CHECK: loop.for %k = 0 to 4 {
  loop.for %i = 0 to 8 vectorized {
    loop.for %k = 0 to 4 {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)> (%i, %k)
      %a = memref.load %A[%0] : memref<128xf32>
      %1 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 16)> (%i, %k)
      memref.store %a, %C[%1] : memref<128xf32>
    }
  }
  func.return
}
}
