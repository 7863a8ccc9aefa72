// RUN: teloom-opt %s -p normalize-loops | filecheck %s

#set = affine_set<(d0)[s0] : (d0 - 4 >= 0, -d0 + s0 == 0)>

// Bounds stay affine; a step is counted; loops that carry values are those of scf.
// CHECK-LABEL: func.func @loops
// CHECK: loop.for %i = max(0, %n - 8) to min(%n, 64) {
// CHECK: %[[P:.*]] = affine.apply {{.*}} (%i)
// CHECK: memref.store %x, %A[%[[P]]]
// CHECK: loop.for %j = 0 to (%n + 1) floordiv 3 {
// CHECK-NEXT: affine.apply affine_map<(d0) -> (((d0 * 3) + 1))> (%j)
// CHECK: scf.for %k = {{.*}} iter_args(%acc = %x) -> (f32) {
// CHECK: scf.yield
func.func @loops(%A: memref<?xf32>, %n: index, %x: f32) -> f32 {
  affine.for %i = max affine_map<(d0) -> (0, d0 - 8)>(%n) to min affine_map<(d0) -> (d0, 64)>(%n) {
    affine.store %x, %A[%i * 2 + 1] : memref<?xf32>
  }
  affine.for %j = 1 to %n step 3 {
    affine.store %x, %A[%j] : memref<?xf32>
  }
  %s = affine.for %k = 0 to %n iter_args(%acc = %x) -> (f32) {
    %a = affine.load %A[%k] : memref<?xf32>
    %b = arith.addf %acc, %a : f32
    affine.yield %b : f32
  }
  func.return %s : f32
}

// CHECK-LABEL: func.func @branches
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi eq
// CHECK: %[[BOTH:.*]] = arith.andi
// CHECK: %r = scf.if %[[BOTH]] -> (f32) {
// CHECK: arith.maxsi
func.func @branches(%n: index, %x: f32, %y: f32) -> (f32, index) {
  %r = affine.if #set(%n)[%n] -> f32 {
    affine.yield %x : f32
  } else {
    affine.yield %y : f32
  }
  %m = affine.max affine_map<(d0) -> (d0, 4)>(%n)
  func.return %r, %m : f32, index
}

// One axis stays parallel. A loop that reduces is serial, from the neutral element or the init.
// CHECK-LABEL: func.func @parallel
// CHECK: arith.ceildivsi
// CHECK: scf.parallel (%i) =
// CHECK: scf.for %j = %c0 to %n step %c2 {
// CHECK: %[[NONE:.*]] = arith.constant 0xff800000 : f32
// CHECK: %s = scf.for %k = {{.*}} iter_args(%[[OLD:.*]] = %[[NONE]]) -> (f32) {
// CHECK-NEXT: %[[NEW:.*]] = arith.maximumf %[[OLD]], %x : f32
// CHECK: %t = scf.for %l = {{.*}} iter_args(%[[OUTER:.*]] = %s) -> (f32) {
// CHECK-NEXT: scf.for %o = {{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]]) -> (f32) {
// CHECK-NEXT: arith.addf %[[INNER]], %x : f32
func.func @parallel(%A: memref<?xf32>, %n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c2, %c2) {
    memref.store %x, %A[%j] : memref<?xf32>
  }
  %s = affine.parallel (%k) = (0) to (%n) reduce ("maximumf") -> (f32) {
    affine.yield %x : f32
  }
  %t = scf.parallel (%l, %o) = (%c0, %c0) to (%n, %n) step (%c2, %c2) init (%s) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      scf.reduce.return %c : f32
    }
  }
  func.return %t : f32
}

// Each result starts from the neutral element of its own type.
// CHECK-LABEL: func.func @two_types
// CHECK: arith.constant 0.000000e+00 : f32
// CHECK: arith.constant 0.000000e+00 : f64
// CHECK: scf.for {{.*}} -> (f32, f64) {
func.func @two_types(%x: f32, %y: f64) -> (f32, f64) {
  %s:2 = affine.parallel (%i) = (0) to (10) reduce ("addf", "addf") -> (f32, f64) {
    affine.yield %x, %y : f32, f64
  }
  func.return %s#0, %s#1 : f32, f64
}
