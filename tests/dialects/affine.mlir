// RUN: TELOOM_ROUNDTRIP %s | filecheck %s

// What upstream prints of affine loops and branches: bounds of several expressions, symbols
// among indices, sets by name, locations of counters.
#set = affine_set<(d0)[s0] : (d0 - 4 >= 0, -d0 + s0 == 0)>
#map = affine_map<(d0)[s0] -> (d0, s0, 4)>

// CHECK-LABEL: func.func @affine
func.func @affine(%A: memref<?x8xf32>, %n: index, %x: f32) -> f32 {
  // CHECK: affine.parallel (%i, %j) = (0, max(1, %n - 2)) to (%n, min(8, %n)) step (1, 2) {
  affine.parallel (%i, %j) = (0, max(1, %n - 2)) to (%n, min(8, %n)) step (1, 2) {
    %v = affine.load %A[%i, %j] : memref<?x8xf32>
    // CHECK: affine.store %v, %A[%i, %n + -1] : memref<?x8xf32>
    affine.store %v, %A[%i, symbol(%n) - 1] : memref<?x8xf32>
  }
  // CHECK: affine.parallel (%i_1) = (0) to (10) reduce ("addf") -> f32 {
  %s = affine.parallel (%i) = (0) to (10) reduce ("addf") -> (f32) {
    affine.yield %x : f32
  }
  affine.for %i loc("a.py":1:2) = 0 to %n step 3 {
    // CHECK: affine.if affine_set<(d0)[s0] : ((d0 + -4) >= 0, ((d0 * -1) + s0) == 0)>(%{{.*}})[%n] {
    affine.if #set(%i)[%n] {
      affine.store %x, %A[%i, 0] : memref<?x8xf32>
    // CHECK: } else {
    } else {
      affine.store %x, %A[%i, 1] : memref<?x8xf32>
    } {my.note}
    // CHECK: affine.if {{.*}} -> f32 {
    %r = affine.if #set(%i)[%n] -> f32 {
      affine.yield %x : f32
    } else {
      affine.yield %s : f32
    }
    // CHECK: affine.max affine_map<(d0)[s0] -> (d0, s0, 4)>(%{{.*}})[%n]
    %m = affine.max #map(%i)[%n]
  }
  func.return %s : f32
}
