// RUN: not teloom-opt %s -p lower-scf --split-input-file 2>&1 | filecheck %s

// CHECK: 5:3: error: lower-scf: cannot lower scf.execute_region
func.func @f() {
  scf.execute_region {
    scf.yield
  }
  func.return
}

// -----

// A branch in a loop of the level above would become blocks, of which that loop holds one.
// CHECK: error: lower-scf: loop.for is left here; run lower-loops first
// CHECK-NEXT: loop.for %i
func.func @branch_in_loop(%p: i1, %A: memref<8xf32>, %x: f32) {
  loop.for %i = 0 to 8 {
    scf.if %p {
      memref.store %x, %A[%i] : memref<8xf32>
    }
  }
  func.return
}

// -----

// CHECK: error: lower-scf: affine.parallel is left here; run normalize-loops first
func.func @branch_in_affine_loop(%p: i1, %A: memref<8xf32>, %x: f32) {
  affine.parallel (%i) = (0) to (8) {
    scf.if %p {
      memref.store %x, %A[%i] : memref<8xf32>
    }
  }
  func.return
}
