// RUN: teloom-opt %s -p 'vectorize-loops' | filecheck %s

// A lane that needs what the lane before it stores: the loop stays scalar.
// CHECK-LABEL: func.func @recurrence
func.func @recurrence(%A: memref<?xf32>) {
  // CHECK-NEXT: loop.for %i = 1 to 33 {
  // CHECK-NOT: vector
  loop.for %i = 1 to 33 vectorized {
    %j = affine.apply affine_map<(d0) -> (d0 - 1)> (%i)
    %a = memref.load %A[%j] : memref<?xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %A[%i] : memref<?xf32>
  }
  func.return
}

// Eight iterations back is far enough for eight lanes.
// CHECK-LABEL: func.func @far
func.func @far(%A: memref<?xf32>) {
  // CHECK: vector.load {{.*}} vector<8xf32>
  loop.for %i = 8 to 40 vectorized {
    %j = affine.apply affine_map<(d0) -> (d0 - 8)> (%i)
    %a = memref.load %A[%j] : memref<?xf32>
    memref.store %a, %A[%i] : memref<?xf32>
  }
  func.return
}

// All lanes add to one cell: scalar.
// CHECK-LABEL: func.func @sum
func.func @sum(%A: memref<?xf32>, %S: memref<?xf32>, %at: index) {
  // CHECK-NEXT: loop.for %i = 0 to 32 {
  loop.for %i = 0 to 32 vectorized {
    %a = memref.load %A[%i] : memref<?xf32>
    %s = memref.load %S[%at] : memref<?xf32>
    %t = arith.addf %s, %a : f32
    memref.store %t, %S[%at] : memref<?xf32>
  }
  func.return
}

// An op that is not known to be the same in every lane: scalar.
// CHECK-LABEL: func.func @call
func.func @call(%A: memref<?xf32>) {
  // CHECK-NEXT: loop.for %i = 0 to 32 {
  loop.for %i = 0 to 32 vectorized {
    %a = func.call @other(%i) : (index) -> f32
    memref.store %a, %A[%i] : memref<?xf32>
  }
  func.return
}
func.func private @other(index) -> f32
