// RUN: teloom-opt %s -p apply-schedule | filecheck %s

// The stage keeps its loops and its equation; which intrinsic is meant stands beside them.
// CHECK-LABEL: te.func @matmul
// CHECK: schedule.order %io, %jo, %ko, %ii, %ji, %ki
// CHECK: schedule.tensorized %ii by @gemm
// CHECK: schedule.stage "A.local" at %ko
// CHECK: schedule.equation
te.func @matmul(%n: index, %m: index, %p: index, %A: tensor<?x?xf32>[%n, %p], %B: tensor<?x?xf32>[%p, %m]) -> (tensor<?x?xf32>) {
  %C = te.compute "C" (%i = %n, %j = %m) reduce (%k = %p) : tensor<?x?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %B[%k, %j] : f32
    %c = arith.mulf %b, %a : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?x?xf32>
}
schedule.sequence @s on @matmul {
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %io, %jo, %ii, %ji = schedule.tile %i, %j by 4, 4
  %ko, %ki = schedule.split %k factor 8
  schedule.reorder %io, %jo, %ko, %ii, %ji, %ki
  schedule.tensorize %ii by @gemm
  %AL = schedule.cache_read argument 0 "local" readers %C
  schedule.compute_at %AL, %C, %ko
}
