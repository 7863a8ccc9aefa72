// RUN: teloom-opt %s -p storage-flatten | filecheck %s
// RUN: teloom-opt %s -p storage-flatten,vectorize-loops,unroll-loops | filecheck %s

// A scope is the space of the buffer; loops stay bound to their thread axes, also where they
// come to count from 0, and around loops that become vectors.
// CHECK-LABEL: @scopes
func.func @scopes(%x: f32, %data: memref<64xf32>) {
  %A = loop.bind %data [0 : 64] : memref<64xf32>
  // CHECK: loop.for %{{.*}} = 0 to 4 blockIdx.x {
  loop.for %i = 0 to 4 blockIdx.x {
    // CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<16xf32, "shared">
    %b = loop.realize "b" [%i * 16 : 16] in "shared" : !loop.tensor<1, f32>
    // CHECK: loop.for %{{.*}} = 0 to 16 threadIdx.x {
    loop.for %j = %i * 16 to %i * 16 + 16 threadIdx.x {
      // CHECK: memref.alloca() {alignment = 4 : i64} : memref<1xf32, "local">
      %c = loop.realize "c" [%j : 1] in "local" : !loop.tensor<1, f32>
      loop.store %x, %c[%j] : f32
      %0 = loop.load %c[%j] : f32
      loop.store %0, %b[%j] : f32
    }
    // CHECK: loop.for %{{.*}} = 0 to 2 threadIdx.y {
    loop.for %k = 0 to 2 threadIdx.y {
      loop.for %l = 0 to 8 vectorized {
        %1 = loop.load %b[%i * 16 + %k * 8 + %l] : f32
        loop.store %1, %A[%i * 16 + %k * 8 + %l] : f32
      }
    }
  }
  func.return
}
