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
