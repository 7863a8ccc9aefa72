// RUN: teloom-opt %s --split-input-file -p 'apply-schedule,infer-bounds,build-loops{keep_trivial_loops=true}' | filecheck %s

// On request they are kept.
te.func @kept(%A: tensor<14x8xf32>) -> (tensor<12x8xf32>) {
  %B = te.compute "B" (%x = 14, %y = 8) : tensor<14x8xf32> {
    %r0 = te.read %A[%x, %y] : f32
    te.yield %r0 : f32
  }
  %C = te.compute "C" (%i = 12, %j = 8) : tensor<12x8xf32> {
    %r0 = te.read %B[%i, %j] : f32
    %r1 = te.read %B[%i + 2, %j] : f32
    %r2 = te.read %B[%i + 1, %j] : f32
    %t1 = arith.addf %r0, %r1 : f32
    %t2 = arith.addf %t1, %r2 : f32
    te.yield %t2 : f32
  }
  te.return %C : tensor<12x8xf32>
}
schedule.sequence @s on @kept {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %C
  %io, %ii = schedule.split %i factor 12
  schedule.compute_at %B, %C, %j
}

// CHECK-LABEL: func.func @kept
// CHECK:        loop.for %io = 0 to 1 {
// CHECK-NEXT:     loop.for %ii = 0 to 12 {
// CHECK-NEXT:       loop.for %j = 0 to 8 {
// CHECK-NEXT:         %B = loop.realize "B" [%ii : 3, %j : 1] : !loop.tensor<2, f32>
// CHECK-NEXT:         loop.for %x = %ii to %ii + 3 {
// CHECK-NEXT:           loop.for %y = %j to %j + 1 {
// CHECK-NEXT:             %r0 = loop.load %A_1[%x, %y] : f32
// CHECK-NEXT:             loop.store %r0, %B[%x, %y] : f32
// CHECK:              %r0_1 = loop.load %B[%io * 12 + %ii, %j] : f32
// CHECK-NEXT:         %r1 = loop.load %B[%io * 12 + %ii + 2, %j] : f32
// CHECK:              loop.store %t2, %C_1[%io * 12 + %ii, %j] : f32
