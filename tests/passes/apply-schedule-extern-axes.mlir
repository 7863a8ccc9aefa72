// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// An extern with axes becomes a stage of these; they are split, reordered and unrolled, and
// stages are computed in its loops, as in those of an equation.
// CHECK-LABEL: te.func @blocks
// CHECK: %C = schedule.stage "C" (%i = 8) reduce (%k = 4) : tensor<128xf32> {
// CHECK-NEXT: %io, %ii = schedule.split %i factor 2
// CHECK-NEXT: schedule.order %io parallel, %k, %ii unrolled
// CHECK-NEXT: %B = schedule.stage "B" at %k (%x = 512) : tensor<512xf32> {
// CHECK: schedule.extern (%{{.*}}, %{{.*}}) (%c: tensor<128xf32>) {
// CHECK-NEXT: te.buffer %B[%{{.*}} * 64 + %{{.*}} * 16 : 16]
// CHECK: } init (%p, %o) {
te.func @blocks(%A: tensor<512xf32>) -> (tensor<128xf32>) {
  %B = te.compute "B" (%x = 512) : tensor<512xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  %C = te.extern "C" (%i = 8) reduce (%k = 4) (%c: tensor<128xf32>) {
    %0 = te.buffer %B[%i * 64 + %k * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
    %1 = te.buffer %c[%i * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
  } init (%p, %o) {
    %1 = te.buffer %o[%p * 16 : 16] : memref<16xf32, strided<[1], offset: ?>>
  }
  te.return %C : tensor<128xf32>
}
schedule.sequence @s on @blocks {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  %io, %ii = schedule.split %i factor 2
  schedule.reorder %io, %k, %ii
  schedule.parallel %io
  schedule.unroll %ii
  schedule.compute_at %B, %C, %k
}
