// RUN: teloom-opt %s -p apply-schedule,infer-bounds,build-loops | filecheck %s

// First one nest sets the elements, then another runs through the domain.
// CHECK-LABEL: func.func @sums
// CHECK: loop.for %i = 0 to 9 {
// CHECK-NEXT: %a = loop.load %A_1[%i] : f32
// CHECK-NEXT: loop.store %a, %S_1[%i] : f32
// CHECK-NEXT: }
// CHECK-NEXT: loop.for %ro = 0 to 2 {
// CHECK-NEXT: loop.for %ri = 0 to 4 {
// CHECK-NEXT: %before = loop.load %S_1[%ro * 4 + %ri] : f32
// CHECK: loop.store %sum, %S_1[%ro * 4 + %ri + 1] : f32
te.func @sums(%A: tensor<9xf32>) -> (tensor<9xf32>) {
  %S = te.update "S" (%i = 9) reduce (%r = 1 to 9) state %s : tensor<9xf32> {
    %before = te.read %s[%r - 1] : f32
    %own = te.read %s[%r] : f32
    %sum = arith.addf %before, %own : f32
    te.write %sum, %s[%r] : f32
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %S : tensor<9xf32>
}
schedule.sequence @split on @sums {
  %S = schedule.get "S"
  %i, %r = schedule.axes 2 of %S
  %ro, %ri = schedule.split %r factor 4
}

// What the points read can be computed in a loop of the domain.
// CHECK-LABEL: func.func @weighted
// CHECK: loop.for %p = 0 to 6 {
// CHECK: loop.for %t = 0 to 3 {
// CHECK-NEXT: loop.realize "W" [%t : 1, 0 : 6]
// CHECK: loop.for %q = 0 to 6 {
te.func @weighted(%A: tensor<6xf32>, %B: tensor<3x6xf32>) -> (tensor<6xf32>) {
  %W = te.compute "W" (%u = 3, %v = 6) : tensor<3x6xf32> {
    %b = te.read %B[%u, %v] : f32
    %c = arith.mulf %b, %b : f32
    te.yield %c : f32
  }
  %S = te.update "S" (%p = 6) reduce (%t = 3, %q = 6) state %s : tensor<6xf32> {
    %old = te.read %s[%q] : f32
    %w = te.read %W[%t, %q] : f32
    %new = arith.mulf %old, %w : f32
    te.write %new, %s[%q] : f32
  } init {
    %a = te.read %A[%p] : f32
    te.yield %a : f32
  }
  te.return %S : tensor<6xf32>
}
schedule.sequence @at_time on @weighted {
  %S = schedule.get "S"
  %W = schedule.get "W"
  %p, %t, %q = schedule.axes 3 of %S
  schedule.compute_at %W, %S, %t
}

// A loop that ends early asks before each iteration.
// CHECK-LABEL: func.func @halved
// CHECK: scf.while
// CHECK: arith.cmpi slt
// CHECK: %now = loop.load %H_1[0] : f32
// CHECK: scf.condition
// CHECK: } do {
// CHECK: loop.store %new, %H_1[0] : f32
te.func @halved(%A: tensor<1xf32>) -> (tensor<1xf32>) {
  %H = te.update "H" (%i = 1) reduce (%t = 100) state %h : tensor<1xf32> {
    %old = te.read %h[0] : f32
    %half = arith.constant 0.5 : f32
    %new = arith.mulf %old, %half : f32
    te.write %new, %h[0] : f32
  } until (%u) state %g {
    %now = te.read %g[0] : f32
    %one = arith.constant 1.0 : f32
    %small = arith.cmpf olt, %now, %one : f32
    te.yield %small : i1
  } init {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %H : tensor<1xf32>
}
