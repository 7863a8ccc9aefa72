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

// A lane stores through a cast what the next one loads: scalar.
// CHECK-LABEL: func.func @cast
func.func @cast(%A: memref<64xf32>) {
  %b = memref.cast %A : memref<64xf32> to memref<?xf32>
  // CHECK: loop.for %i = 0 to 63 {
  // CHECK-NOT: vector
  loop.for %i = 0 to 63 vectorized {
    %v = memref.load %A[%i] : memref<64xf32>
    %w = arith.addf %v, %v : f32
    %j = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    memref.store %w, %b[%j] : memref<?xf32>
  }
  func.return
}

// One of two buffers, it is not known which.
// CHECK-LABEL: func.func @either
func.func @either(%A: memref<64xf32>, %B: memref<64xf32>, %first: i1) {
  %b = arith.select %first, %A, %B : memref<64xf32>
  // CHECK: loop.for %i = 0 to 63 {
  // CHECK-NOT: vector
  loop.for %i = 0 to 63 vectorized {
    %v = memref.load %A[%i] : memref<64xf32>
    %j = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    memref.store %v, %b[%j] : memref<64xf32>
  }
  func.return
}

// Two casts of one kind have the same elements, and views apart have none in common.
// CHECK-LABEL: func.func @views
func.func @views(%A: memref<64xf32>) {
  %a = memref.cast %A : memref<64xf32> to memref<?xf32>
  %b = memref.cast %A : memref<64xf32> to memref<?xf32>
  // CHECK: loop.for %i = 0 to 4 unrolled {
  loop.for %i = 0 to 64 vectorized {
    // CHECK: vector.load
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %b[%i] : memref<?xf32>
  }
  %memory = memref.alloc() : memref<512xi8>
  %0 = arith.constant 0 : index
  %256 = arith.constant 256 : index
  %low = memref.view %memory[%0][] : memref<512xi8> to memref<64xf32>
  %high = memref.view %memory[%256][] : memref<512xi8> to memref<64xf32>
  loop.for %i = 0 to 63 vectorized {
    // CHECK: vector.load
    %v = memref.load %low[%i] : memref<64xf32>
    %j = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    memref.store %v, %high[%j] : memref<64xf32>
  }
  memref.dealloc %memory : memref<512xi8>
  func.return
}
