// RUN: teloom-opt %s -p 'vectorize-loops{bytes=16}' --split-input-file | filecheck %s

// What an iteration keeps in memory of its own becomes a vector, in a buffer in front of the loop.
// CHECK-LABEL: @own_sum
func.func @own_sum(%A: memref<48xf32>, %B: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  // CHECK: %sum = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
  // CHECK-NEXT: loop.for %i = 0 to 2
  loop.for %i = 0 to 8 vectorized {
    %sum = memref.alloca() : memref<1xf32>
    // CHECK: vector.store {{.*}}, %sum[{{.*}}] : memref<4xf32>, vector<4xf32>
    memref.store %none, %sum[%zero] : memref<1xf32>
    loop.for %k = 0 to 6 {
      // CHECK: vector.load %sum[{{.*}}] : memref<4xf32>, vector<4xf32>
      %old = memref.load %sum[%zero] : memref<1xf32>
      %at = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)> (%k, %i)
      // CHECK: vector.load %A[{{.*}}] : memref<48xf32>, vector<4xf32>
      %a = memref.load %A[%at] : memref<48xf32>
      %new = arith.addf %old, %a : f32
      memref.store %new, %sum[%zero] : memref<1xf32>
    }
    %all = memref.load %sum[%zero] : memref<1xf32>
    // CHECK: vector.store {{.*}}, %B[{{.*}}] : memref<8xf32>, vector<4xf32>
    memref.store %all, %B[%i] : memref<8xf32>
  }
  func.return
}

// -----

// A loop that has no lanes for another reason stays as it is.
// CHECK-LABEL: @no_lanes
func.func @no_lanes(%A: memref<9xf32>) {
  %zero = arith.constant 0 : index
  // CHECK: loop.for %i = 0 to 8 {
  // CHECK-NEXT: %own = memref.alloca() : memref<1xf32>
  loop.for %i = 0 to 8 vectorized {
    %own = memref.alloca() : memref<1xf32>
    %a = memref.load %A[%i] : memref<9xf32>
    memref.store %a, %own[%zero] : memref<1xf32>
    %b = memref.load %own[%zero] : memref<1xf32>
    %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    memref.store %b, %A[%next] : memref<9xf32>
  }
  func.return
}
