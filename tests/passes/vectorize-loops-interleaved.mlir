// RUN: teloom-opt %s -p 'vectorize-loops{bytes=16}' | filecheck %s

// Two accesses that together are to whole vectors share these, as one, whose place alone is computed.
// CHECK-LABEL: func.func @pairs
func.func @pairs(%A: memref<?xf32>, %C: memref<?xf32>) {
  // CHECK-NOT: affine.apply
  // CHECK: %[[X:.*]] = vector.load %A[{{.*}}] : memref<?xf32>, vector<8xf32>
  // CHECK-NEXT: vector.shuffle %[[X]], %[[X]] [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
  // CHECK-NOT: vector.load
  // CHECK: vector.shuffle %[[X]], %[[X]] [1, 3, 5, 7] : vector<8xf32>, vector<8xf32>
  loop.for %i = 0 to 4 vectorized {
    %0 = affine.apply affine_map<(d0) -> (d0 * 2)> (%i)
    %a = memref.load %A[%0] : memref<?xf32>
    %1 = affine.apply affine_map<(d0) -> (d0 * 2 + 1)> (%i)
    %b = memref.load %A[%1] : memref<?xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %C[%i] : memref<?xf32>
  }
  func.return
}

// Where another one is beside them, each has vectors of its own.
// CHECK-LABEL: func.func @windows
func.func @windows(%A: memref<?xf32>, %C: memref<?xf32>) {
  // CHECK-COUNT-4: vector.load %A[{{.*}}] : memref<?xf32>, vector<4xf32>
  loop.for %i = 0 to 4 vectorized {
    %0 = affine.apply affine_map<(d0) -> (d0 * 2)> (%i)
    %a = memref.load %A[%0] : memref<?xf32>
    %1 = affine.apply affine_map<(d0) -> (d0 * 2 + 1)> (%i)
    %b = memref.load %A[%1] : memref<?xf32>
    %2 = affine.apply affine_map<(d0) -> (d0 * 2 + 2)> (%i)
    %c = memref.load %A[%2] : memref<?xf32>
    %d = arith.addf %a, %b : f32
    %e = arith.addf %d, %c : f32
    memref.store %e, %C[%i] : memref<?xf32>
  }
  func.return
}

// The last vector ends with the last element, behind which the buffer may end.
// CHECK-LABEL: func.func @every_other
func.func @every_other(%A: memref<7xf32>, %C: memref<4xf32>) {
  // CHECK: %[[K:.*]] = affine.apply affine_map<(d0) -> ((d0 + 3))>
  // CHECK: %[[Y:.*]] = vector.load %A[%[[K]]]
  // CHECK-NEXT: vector.shuffle %{{.*}}, %[[Y]] [0, 2, 5, 7] : vector<4xf32>, vector<4xf32>
  loop.for %i = 0 to 4 vectorized {
    %0 = affine.apply affine_map<(d0) -> (d0 * 2)> (%i)
    %a = memref.load %A[%0] : memref<7xf32>
    memref.store %a, %C[%i] : memref<4xf32>
  }
  func.return
}

// A row from its end is one vector, with its lanes reversed.
// CHECK-LABEL: func.func @reversed
func.func @reversed(%A: memref<4xf32>, %C: memref<4xf32>) {
  // CHECK: %[[X:.*]] = vector.load %A
  // CHECK-NEXT: vector.shuffle %[[X]], %[[X]] [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
  loop.for %i = 0 to 4 vectorized {
    %0 = affine.apply affine_map<(d0) -> (d0 * -1 + 3)> (%i)
    %a = memref.load %A[%0] : memref<4xf32>
    memref.store %a, %C[%i] : memref<4xf32>
  }
  func.return
}

// Stores that together write all elements are whole vectors, where the last of them stands.
// CHECK-LABEL: func.func @written_whole
func.func @written_whole(%A: memref<4xf32>, %C: memref<8xf32>) {
  // CHECK: %[[X:.*]] = vector.load %A
  // CHECK: %[[Y:.*]] = arith.negf %[[X]]
  // CHECK: %[[F:.*]] = vector.shuffle %[[X]], %[[Y]] [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
  // CHECK-NEXT: vector.store %[[F]], %C
  // CHECK: %[[S:.*]] = vector.shuffle %[[X]], %[[Y]] [2, 6, 3, 7] : vector<4xf32>, vector<4xf32>
  // CHECK-NEXT: vector.store %[[S]], %C
  // CHECK-NOT: store
  loop.for %i = 0 to 4 vectorized {
    %a = memref.load %A[%i] : memref<4xf32>
    %0 = affine.apply affine_map<(d0) -> (d0 * 2)> (%i)
    memref.store %a, %C[%0] : memref<8xf32>
    %b = arith.negf %a : f32
    %1 = affine.apply affine_map<(d0) -> (d0 * 2 + 1)> (%i)
    memref.store %b, %C[%1] : memref<8xf32>
  }
  func.return
}

// Where elements between stay as they are, each lane stores its own; so it does where something
// else reads the buffer between two stores.
// CHECK-LABEL: func.func @written_in_parts
func.func @written_in_parts(%n: index, %A: memref<4xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  // CHECK: loop.for %lane = 0 to 4 unrolled
  // CHECK: memref.store %{{.*}}, %C
  // CHECK: loop.for %lane_1 = 0 to 4 unrolled
  // CHECK: memref.store %{{.*}}, %D
  loop.for %i = 0 to 4 vectorized {
    %a = memref.load %A[%i] : memref<4xf32>
    %0 = affine.apply affine_map<(d0) -> (d0 * 2)> (%i)
    %1 = affine.apply affine_map<(d0) -> (d0 * 2 + 1)> (%i)
    memref.store %a, %C[%0] : memref<8xf32>
    memref.store %a, %D[%0] : memref<8xf32>
    %d = memref.load %D[%0] : memref<8xf32>
    memref.store %d, %D[%1] : memref<8xf32>
  }
  func.return
}

// What is written between two loads is loaded again.
// CHECK-LABEL: func.func @written_between
func.func @written_between(%A: memref<8xf32>, %C: memref<4xf32>, %D: memref<4xf32>) {
  // CHECK-COUNT-2: vector.load %A
  loop.for %i = 0 to 4 vectorized {
    %0 = affine.apply affine_map<(d0) -> (d0 * 2)> (%i)
    %1 = affine.apply affine_map<(d0) -> (d0 * 2 + 1)> (%i)
    %a = memref.load %A[%0] : memref<8xf32>
    memref.store %a, %C[%i] : memref<4xf32>
    memref.store %a, %A[%1] : memref<8xf32>
    %b = memref.load %A[%1] : memref<8xf32>
    memref.store %b, %D[%i] : memref<4xf32>
  }
  func.return
}

// Under a mask, vectors are loaded of which only the elements of lanes that are in it are read: two
// accesses under one condition share these.
// CHECK-LABEL: func.func @masked
func.func @masked(%n: index, %A: memref<?xf32>, %C: memref<?xf32>, %zero: f32) {
  // CHECK: %[[P:.*]] = arith.cmpi slt, %{{.*}} : vector<4xindex>
  // CHECK: %[[NO:.*]] = arith.constant dense<false> : vector<4xi1>
  // CHECK-NEXT: %[[ONE:.*]] = vector.shuffle %[[P]], %[[NO]] [0, 4, 0, 1]
  // CHECK-NEXT: %[[TWO:.*]] = vector.shuffle %[[P]], %[[NO]] [4, 1, 2, 4]
  // CHECK-NEXT: %[[THREE:.*]] = vector.shuffle %[[P]], %[[NO]] [2, 3, 4, 3]
  // CHECK: %[[X:.*]] = vector.maskedload %A[{{.*}}], %[[ONE]]
  // CHECK: %[[Y:.*]] = vector.maskedload %A[{{.*}}], %[[TWO]]
  // CHECK: %[[Z:.*]] = vector.maskedload %A[{{.*}}], %[[THREE]]
  // CHECK-NOT: load
  // CHECK: vector.maskedstore %C
  loop.for %i = 0 to 4 vectorized {
    %p = arith.cmpi slt, %i, %n : index
    %a = scf.if %p -> (f32) {
      %0 = affine.apply affine_map<(d0) -> (d0 * 3)> (%i)
      %x = memref.load %A[%0] : memref<?xf32>
      scf.yield %x : f32
    } else {
      scf.yield %zero : f32
    }
    %b = scf.if %p -> (f32) {
      %2 = affine.apply affine_map<(d0) -> (d0 * 3 + 2)> (%i)
      %y = memref.load %A[%2] : memref<?xf32>
      scf.yield %y : f32
    } else {
      scf.yield %zero : f32
    }
    %c = arith.addf %a, %b : f32
    scf.if %p {
      memref.store %c, %C[%i] : memref<?xf32>
    }
  }
  func.return
}
