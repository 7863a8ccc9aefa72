// RUN: teloom-opt %s -p 'vectorize-loops' | filecheck %s

// Loads under a condition of lanes are masked, and the values chosen.
// CHECK-LABEL: func.func @padding
func.func @padding(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %zero: f32) {
  loop.for %i = 0 to 16 vectorized {
    // CHECK: %[[P:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : vector<16xindex>
    %p = arith.cmpi slt, %i, %n : index
    // CHECK: %[[X:.*]] = vector.maskedload %A[%{{.*}}], %[[P]], %{{.*}} : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %a = scf.if %p -> (f32) {
      %x = memref.load %A[%i] : memref<?xf32>
      scf.yield %x : f32
    } else {
      scf.yield %zero : f32
    }
    // CHECK: arith.select %[[P]], %[[X]], %{{.*}} : vector<16xi1>, vector<16xf32>
    memref.store %a, %B[%i] : memref<?xf32>
  }
  func.return
}

// A condition that all lanes share stays a branch.
// CHECK-LABEL: func.func @shared
func.func @shared(%p: i1, %A: memref<?xf32>, %B: memref<?xf32>, %zero: f32) {
  loop.for %i = 0 to 16 vectorized {
    // CHECK: scf.if %p -> (vector<16xf32>) {
    // CHECK-NOT: mask
    %a = scf.if %p -> (f32) {
      %x = memref.load %A[%i] : memref<?xf32>
      scf.yield %x : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %a, %B[%i] : memref<?xf32>
  }
  func.return
}

// A division by 0 is 0: it may run in every lane.
// CHECK-LABEL: func.func @division
func.func @division(%A: memref<?xi32>, %B: memref<?xi32>, %zero: i32) {
  loop.for %i = 0 to 16 vectorized {
    // CHECK: vector.load
    %a = memref.load %A[%i] : memref<?xi32>
    %p = arith.cmpi ne, %a, %zero : i32
    // CHECK: arith.divsi {{.*}} : vector<16xi32>
    // CHECK: arith.select
    %b = scf.if %p -> (i32) {
      %x = arith.divsi %a, %a : i32
      scf.yield %x : i32
    } else {
      scf.yield %zero : i32
    }
    // CHECK: vector.store
    memref.store %b, %B[%i] : memref<?xi32>
  }
  func.return
}

// Copies of a loop that only the call knows the extent of would all be loops: there is one.
// CHECK-LABEL: func.func @triangle
func.func @triangle(%n: index, %A: memref<?xf32>, %x: f32) {
  // CHECK-NEXT: loop.for %lane = 0 to 16 {
  // CHECK-NEXT:   loop.for %k = %lane to %n {
  loop.for %i = 0 to 16 vectorized {
    loop.for %k = %i to %n {
      %at = arith.addi %i, %n : index
      memref.store %x, %A[%at] : memref<?xf32>
    }
  }
  func.return
}

// A guard that differs between lanes.
// CHECK-LABEL: func.func @guard
func.func @guard(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %x: f32) {
  loop.for %i = 0 to 16 vectorized {
    // CHECK: vector.store
    memref.store %x, %B[%i] : memref<?xf32>
    // CHECK: loop.for %lane = 0 to 16 unrolled {
    // CHECK: loop.if (%n - %{{.*}} >= 0) {
    loop.if (%n - %i >= 0) {
      memref.store %x, %A[%i] : memref<?xf32>
    }
  }
  func.return
}

// What two lanes in a row depend on leaves two of eight: branches would cost more than they save.
// CHECK-LABEL: func.func @few_lanes
func.func @few_lanes(%A: memref<100xf32>, %n: index) {
  // CHECK-NOT: vector
  // CHECK:     loop.for %i = 2 to 100 {
  loop.for %i = 2 to 100 vectorized {
    %before = affine.apply affine_map<(d0) -> (d0 - 2)> (%i)
    %a = memref.load %A[%before] : memref<100xf32>
    %is = arith.cmpi slt, %i, %n : index
    %b = scf.if %is -> (f32) {
      %c = arith.addf %a, %a : f32
      scf.yield %c : f32
    } else {
      scf.yield %a : f32
    }
    memref.store %b, %A[%i] : memref<100xf32>
  }
  func.return
}

// Where an access is one lane after the other, each lane compares its own index: a mask of which
// every bit becomes a number is slow.
// CHECK-LABEL: func.func @apart
func.func @apart(%n: index, %A: memref<16xf32>, %B: memref<784xf32>) {
  // CHECK-NOT: vector<16xi1>
  // CHECK: loop.for %lane = 0 to 16 unrolled {
  loop.for %i = 0 to 16 vectorized {
    // CHECK-NEXT: %inside = arith.cmpi slt, %lane, %n : index
    %inside = arith.cmpi slt, %i, %n : index
    %at = affine.apply affine_map<(d0) -> (d0 * 49)> (%i)
    %a = memref.load %A[%i] : memref<16xf32>
    // CHECK: scf.if %inside {
    // CHECK-NEXT: memref.store %{{.*}}, %B[%at] : memref<784xf32>
    scf.if %inside {
      memref.store %a, %B[%at] : memref<784xf32>
    }
  }
  func.return
}
