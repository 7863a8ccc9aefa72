// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

// Parallel loops as upstream writes them: of several axes, with notes, with results.

// CHECK-LABEL: func.func @parallel
func.func @parallel(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
  // CHECK-NEXT: scf.reduce
  // CHECK-NEXT: } {my.note}
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
  } {my.note}
  // CHECK: %s = scf.parallel (%k) = (%c0) to (%n) step (%c1) init (%x) -> f32 {
  %s = scf.parallel (%k) = (%c0) to (%n) step (%c1) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      scf.reduce.return %c : f32
    }
  }
  func.return %s : f32
}

// A region that is executed keeps its terminators, its blocks and its notes.
// CHECK-LABEL: func.func @executed
func.func @executed(%p: i1, %x: f32) -> f32 {
  // CHECK: scf.execute_region {
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: } {my.note}
  scf.execute_region {
    scf.yield
  } {my.note}
  // CHECK: scf.execute_region {
  // CHECK-NEXT: cf.cond_br %p
  scf.execute_region {
    cf.cond_br %p, ^a, ^b
  ^a:
    cf.br ^b
  ^b:
    scf.yield
  }
  // CHECK: %y = scf.execute_region -> f32 {
  // CHECK-NEXT: scf.yield %x : f32
  %y = scf.execute_region -> (f32) {
    scf.yield %x : f32
  }
  func.return %y : f32
}

// Each result has a region of its own, between commas.
// CHECK-LABEL: func.func @two_results
// CHECK: scf.reduce(%x, %y : f32, f64) {
// CHECK: }, {
// CHECK: scf.reduce.return %{{.*}} : f64
func.func @two_results(%x: f32, %y: f64, %n: index) -> (f32, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x, %y) -> (f32, f64) {
    scf.reduce(%x, %y : f32, f64) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      scf.reduce.return %c : f32
    }, {
    ^bb0(%a: f64, %b: f64):
      %c = arith.maximumf %a, %b : f64
      scf.reduce.return %c : f64
    }
  }
  func.return %r#0, %r#1 : f32, f64
}
