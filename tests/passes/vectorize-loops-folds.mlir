// RUN: teloom-opt %s -p 'vectorize-loops{bytes=16}' | filecheck %s

// Vectors are folded into each other, then halves of the last one, and the last two lanes; the
// element is folded with what is left.
// CHECK-LABEL: func.func @sum
func.func @sum(%P: memref<8xf32>, %C: memref<1xf32>) {
  // CHECK: %[[A:.*]] = vector.load %P[{{.*}}] : memref<8xf32>, vector<4xf32>
  // CHECK: %[[B:.*]] = vector.load %P[{{.*}}] : memref<8xf32>, vector<4xf32>
  // CHECK-NEXT: %[[V:.*]] = arith.addf %[[A]], %[[B]] : vector<4xf32>
  // CHECK-NEXT: %[[L:.*]] = vector.shuffle %[[V]], %[[V]] [0, 1]
  // CHECK-NEXT: %[[H:.*]] = vector.shuffle %[[V]], %[[V]] [2, 3]
  // CHECK-NEXT: %[[W:.*]] = arith.addf %[[L]], %[[H]] : vector<2xf32>
  // CHECK-NEXT: %[[X:.*]] = vector.extract %[[W]][0]
  // CHECK-NEXT: %[[Y:.*]] = vector.extract %[[W]][1]
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
  // CHECK-NEXT: %[[C:.*]] = memref.load %C
  // CHECK-NEXT: %[[T:.*]] = arith.addf %[[C]], %[[S]] : f32
  // CHECK-NEXT: memref.store %[[T]], %C
  %zero = arith.constant 0 : index
  loop.for %lane = 0 to 8 vectorized attributes {loop.folds} {
    %p = memref.load %P[%lane] : memref<8xf32>
    %c = memref.load %C[%zero] : memref<1xf32>
    %s = arith.addf %c, %p : f32
    memref.store %s, %C[%zero] : memref<1xf32>
  }
  func.return
}

// A pair is folded as one.
// CHECK-LABEL: func.func @argmax
func.func @argmax(%P: memref<4xf32>, %Q: memref<4xi32>, %C: memref<1xf32>, %D: memref<1xi32>) {
  // CHECK: arith.cmpf ogt, {{.*}} : vector<2xf32>
  // CHECK-NEXT: arith.select {{.*}} : vector<2xi1>, vector<2xf32>
  // CHECK-NEXT: arith.select {{.*}} : vector<2xi1>, vector<2xi32>
  // CHECK: arith.cmpf ogt, {{.*}} : f32
  // CHECK: arith.cmpf ogt, {{.*}} : f32
  // CHECK: memref.store %{{.*}}, %C
  // CHECK-NEXT: memref.store %{{.*}}, %D
  %zero = arith.constant 0 : index
  loop.for %lane = 0 to 4 vectorized attributes {loop.folds} {
    %p = memref.load %P[%lane] : memref<4xf32>
    %q = memref.load %Q[%lane] : memref<4xi32>
    %c = memref.load %C[%zero] : memref<1xf32>
    %d = memref.load %D[%zero] : memref<1xi32>
    %more = arith.cmpf ogt, %c, %p : f32
    %most = arith.select %more, %c, %p : f32
    %at = arith.select %more, %d, %q : i32
    memref.store %most, %C[%zero] : memref<1xf32>
    memref.store %at, %D[%zero] : memref<1xi32>
  }
  func.return
}

// What does something else besides runs in order.
// CHECK-LABEL: func.func @also_stores
func.func @also_stores(%P: memref<4xf32>, %C: memref<1xf32>, %D: memref<4xf32>) {
  // CHECK: loop.for %lane = 0 to 4 attributes {loop.folds} {
  %zero = arith.constant 0 : index
  loop.for %lane = 0 to 4 vectorized attributes {loop.folds} {
    %p = memref.load %P[%lane] : memref<4xf32>
    %c = memref.load %C[%zero] : memref<1xf32>
    %s = arith.addf %c, %p : f32
    memref.store %s, %C[%zero] : memref<1xf32>
    memref.store %s, %D[%lane] : memref<4xf32>
  }
  func.return
}
