// RUN: teloom-opt %s --split-input-file -p te-to-loops | filecheck %s

// The first condition that holds counts; what it says is known in its loops, also in those of a
// stage that is computed in them. In the general version the last tile stands apart.
// CHECK-LABEL: func.func @fast
// CHECK:       loop.if (%n mod 32 == 0) {
// CHECK-NEXT:    loop.for %io = 0 to %n ceildiv 32 {
// CHECK-NEXT:      %B = loop.realize "B" [%io * 32 : 32]
// CHECK-NEXT:      loop.for %i = %io * 32 to %io * 32 + 32 {
// CHECK:           loop.for %ii = 0 to 32 vectorized {
// CHECK-NOT:     %{{.*}}ceildiv
// CHECK:       } else {
// CHECK-NEXT:    loop.if (%n * -1 + 32 >= 0) {
// CHECK:         } else {
// CHECK-NEXT:      loop.for %io_{{[0-9]}} = 0 to %n floordiv 32 {
// CHECK:           loop.for %io_{{[0-9]}} = %n floordiv 32 to %n ceildiv 32 {
te.func @fast(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = %n) : tensor<?xf32> {
    %b = te.read %B[%i] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @fast {
  %C = schedule.get "C"
  %B = schedule.get "B"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 32
  schedule.vectorize %ii
  schedule.compute_at %B, %C, %io
  schedule.specialize %C affine_set<()[s0] : (s0 mod 32 == 0)>
  schedule.specialize %C affine_set<()[s0] : (s0 <= 32)>
}
