// RUN: teloom-opt %s -p 'vectorize-loops' | filecheck %s

// What all lanes read alike, some of them, is read in any case if it is there for sure: from 0 on,
// as the counters are, and from the least of a counter and a constant.
// CHECK-LABEL: func.func @there
func.func @there(%A: memref<1500xf32>, %M: memref<16xi1>, %B: memref<16xf32>, %zero: f32) {
  loop.for %k = 0 to 20 {
    %begin = affine.min affine_map<(d0) -> (d0 * 8, 142)> (%k)
    loop.for %i = 0 to 16 vectorized {
      // CHECK: %[[P:.*]] = vector.load %M
      %p = memref.load %M[%i] : memref<16xi1>
      %a = scf.if %p -> (f32) {
        // CHECK-NOT:  scf.if
        // CHECK:      %[[X:.*]] = memref.load %A[%{{.*}}] : memref<1500xf32>
        // CHECK-NEXT: vector.broadcast %[[X]]
        %at = affine.apply affine_map<(d0) -> (d0 * 10)> (%begin)
        %x = memref.load %A[%at] : memref<1500xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %a, %B[%i] : memref<16xf32>
    }
  }
  func.return
}

// Of an array of any length it is read if a lane wants it.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%A: memref<?xf32>, %M: memref<16xi1>, %B: memref<16xf32>, %n: index, %zero: f32) {
  loop.for %i = 0 to 16 vectorized {
    // CHECK: %[[P:.*]] = vector.load %M
    %p = memref.load %M[%i] : memref<16xi1>
    // CHECK:      %[[ANY:.*]] = vector.reduction <or>, %[[P]] : vector<16xi1> into i1
    // CHECK-NEXT: %[[X:.*]] = scf.if %[[ANY]] -> (f32) {
    // CHECK-NEXT:   %[[THERE:.*]] = memref.load %A[%n] : memref<?xf32>
    // CHECK-NEXT:   scf.yield %[[THERE]] : f32
    // CHECK-NEXT: } else {
    // CHECK:      vector.broadcast %[[X]]
    %a = scf.if %p -> (f32) {
      %x = memref.load %A[%n] : memref<?xf32>
      scf.yield %x : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %a, %B[%i] : memref<16xf32>
  }
  func.return
}

// A buffer that stays in registers is stored as a whole: other lanes keep what they have.
// CHECK-LABEL: func.func @registers
func.func @registers(%M: memref<16xi1>, %B: memref<16xf32>, %x: f32) {
  %T = memref.alloca() : memref<16xf32>
  loop.for %i = 0 to 16 vectorized {
    memref.store %x, %T[%i] : memref<16xf32>
  }
  loop.for %i = 0 to 16 vectorized {
    // CHECK: %[[P:.*]] = vector.load %M
    %p = memref.load %M[%i] : memref<16xi1>
    scf.if %p {
      // CHECK-NOT:  maskedload
      // CHECK:      %[[Y:.*]] = arith.addf
      // CHECK:      %[[OLD:.*]] = vector.load %T
      // CHECK-NEXT: %[[NEW:.*]] = arith.select %[[P]], %[[Y]], %[[OLD]]
      // CHECK-NEXT: vector.store %[[NEW]], %T
      // CHECK-NOT:  maskedstore %{{.*}}, %T
      %t = memref.load %T[%i] : memref<16xf32>
      %y = arith.addf %t, %x : f32
      memref.store %y, %T[%i] : memref<16xf32>
    }
  }
  // What others see is stored in the lanes of the mask alone.
  loop.for %i = 0 to 16 vectorized {
    %p = memref.load %M[%i] : memref<16xi1>
    %t = memref.load %T[%i] : memref<16xf32>
    scf.if %p {
      // CHECK: vector.maskedstore %B
      memref.store %t, %B[%i] : memref<16xf32>
    }
  }
  func.return
}
