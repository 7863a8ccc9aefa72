// RUN: teloom-opt %s -p 'vectorize-loops{bytes=16}' | filecheck %s

// The iterations of a short unrolled loop store neighbours: lanes of both are stored together. What
// is chosen by the counter is known in each copy.
// CHECK-LABEL: func.func @conjugate
func.func @conjugate(%A: memref<8xf32>, %C: memref<8xf32>) {
  // CHECK-NOT: loop.for
  // CHECK-NOT: scf.if
  // CHECK: [[RE:%.*]] = vector.shuffle {{.*}} [0, 2, 4, 6]
  // CHECK: [[IM:%.*]] = arith.negf
  // CHECK-NOT: scf.if
  // CHECK: [[FIRST:%.*]] = vector.shuffle [[RE]], [[IM]] [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
  // CHECK-NEXT: vector.store [[FIRST]], %C[{{.*}}] : memref<8xf32>, vector<4xf32>
  // CHECK-NEXT: [[SECOND:%.*]] = vector.shuffle [[RE]], [[IM]] [2, 6, 3, 7] : vector<4xf32>, vector<4xf32>
  // CHECK-NEXT: vector.store [[SECOND]], %C[{{.*}}] : memref<8xf32>, vector<4xf32>
  // CHECK-NEXT: func.return
  loop.for %c = 0 to 2 unrolled {
    loop.for %i = 0 to 4 vectorized {
      %place = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)> (%i, %c)
      %a = memref.load %A[%place] : memref<8xf32>
      %zero = arith.constant 0 : index
      %is_first = arith.cmpi eq, %c, %zero : index
      %v = scf.if %is_first -> (f32) {
        scf.yield %a : f32
      } else {
        %n = arith.negf %a : f32
        scf.yield %n : f32
      }
      memref.store %v, %C[%place] : memref<8xf32>
    }
  }
  func.return
}

// Where a copy reads what another one writes, the loop stays outside.
// CHECK-LABEL: func.func @in_place
func.func @in_place(%C: memref<9xf32>) {
  // CHECK: loop.for %c = 0 to 2 unrolled
  loop.for %c = 0 to 2 unrolled {
    loop.for %i = 0 to 4 vectorized {
      %place = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)> (%i, %c)
      %next = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1 + 1)> (%i, %c)
      %a = memref.load %C[%next] : memref<9xf32>
      memref.store %a, %C[%place] : memref<9xf32>
    }
  }
  func.return
}

// More iterations than neighbours, and as many that store no neighbours, stay outside.
// CHECK-LABEL: func.func @apart
func.func @apart(%A: memref<8xf32>, %C: memref<32xf32>) {
  // CHECK: loop.for %c = 0 to 3 unrolled
  loop.for %c = 0 to 3 unrolled {
    loop.for %i = 0 to 4 vectorized {
      %a = memref.load %A[%i] : memref<8xf32>
      %place = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)> (%i, %c)
      memref.store %a, %C[%place] : memref<32xf32>
    }
  }
  // CHECK: loop.for %c_1 = 0 to 2 unrolled
  loop.for %c = 0 to 2 unrolled {
    loop.for %i = 0 to 4 vectorized {
      %a = memref.load %A[%i] : memref<8xf32>
      %place = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1 * 8)> (%i, %c)
      memref.store %a, %C[%place] : memref<32xf32>
    }
  }
  func.return
}
