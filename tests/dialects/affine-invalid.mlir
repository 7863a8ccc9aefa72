// RUN: not teloom-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: 1 steps for 2 axes
affine.parallel (%i, %j) = (0, 0) to (4, 4) step (1) {
}

// -----

// CHECK: 1 upper bounds for 2 axes
affine.parallel (%i, %j) = (0, 0) to (4) {
}

// -----

// CHECK: 0 reductions for 1 results
%s = "affine.parallel"() <{lowerBoundsGroups = dense<1> : vector<1xi32>, lowerBoundsMap = affine_map<() -> (0)>, reductions = [], steps = [1 : i64], upperBoundsGroups = dense<1> : vector<1xi32>, upperBoundsMap = affine_map<() -> (10)>}> ({
^bb0(%i: index):
  affine.yield
}) : () -> f32

// -----

// CHECK: 1 operands for a map of 2
%n = arith.constant 4 : index
%m = affine.max affine_map<(d0, d1) -> (d0, d1)>(%n)

// -----

// CHECK: expected an affine set
affine.if affine_map<() -> ()>() {
}

// -----

// CHECK: error: step 0: a loop steps by 1 or more
// CHECK-NEXT: affine.parallel (%i, %j) =
affine.parallel (%i, %j) = (0, 0) to (4, 4) step (1, 0) {
}

// -----

// CHECK: error: step -2: a loop steps by 1 or more
affine.parallel (%i) = (0) to (4) step (-2) {
}

// -----

// CHECK: error: step 0: a loop steps by 1 or more
// CHECK-NEXT: affine.for %i =
affine.for %i = 0 to 4 step 0 {
}

// -----

// CHECK: error: (d0 floordiv -2) divides by no positive constant
// CHECK-NEXT: %m = affine.apply
%n = arith.constant 4 : index
%m = affine.apply affine_map<(d0) -> (d0 floordiv -2)> (%n)

// -----

// CHECK: error: (d0 mod 0) divides by no positive constant
%n = arith.constant 4 : index
affine.if affine_set<(d0) : (d0 mod 0 == 0)>(%n) {
}

// -----

// CHECK: error: (d0 ceildiv 0) divides by no positive constant
%n = arith.constant 4 : index
affine.for %i = 0 to affine_map<(d0) -> (d0 ceildiv 0)>(%n) {
}
