// RUN: teloom-opt %s -p 'vectorize-loops{bytes=16}' | filecheck %s
// RUN: teloom-opt %s -p te-to-llvm | filecheck %s --check-prefix=LLVM

// Neighbours are moved at once, others one after the other.
// CHECK-LABEL: @rows
// CHECK:         %[[OLD:.*]] = vector.load %points[%[[AT:.*]]] : memref<64xf32>, vector<4xf32>
// CHECK-NEXT:    %[[NEW:.*]] = arith.addf %[[OLD]], {{%.*}} : vector<4xf32>
// CHECK-NEXT:    vector.store %[[NEW]], %points[%[[AT]]] : memref<64xf32>, vector<4xf32>
// CHECK:         loop.for %lane = 0 to 4 unrolled
// CHECK:           geometry.move %points[{{%.*}}] by {{%.*}} : memref<64xf32>, f32
func.func @rows(%points: memref<64xf32>, %by: memref<64xf32>) {
  loop.for %i = 0 to 16 vectorized {
    %x = memref.load %by[%i] : memref<64xf32>
    geometry.move %points[%i] by %x : memref<64xf32>, f32
  }
  loop.for %i = 0 to 16 vectorized {
    %x = memref.load %by[%i] : memref<64xf32>
    %j = affine.apply affine_map<(d0) -> (3 * d0)> (%i)
    geometry.move %points[%j] by %x : memref<64xf32>, f32
  }
  func.return
}

// On the machine it is a load, an addition and a store.
// LLVM-LABEL: llvm.func @one
// LLVM:         %[[OLD:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// LLVM:         %[[NEW:.*]] = llvm.fadd %[[OLD]], %by
// LLVM:         llvm.store %[[NEW]], %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr
func.func @one(%points: memref<64xf32>, %i: index, %by: f32) {
  geometry.move %points[%i] by %by : memref<64xf32>, f32
  func.return
}
