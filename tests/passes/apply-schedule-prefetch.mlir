// RUN: teloom-opt %s --split-input-file -p apply-schedule | filecheck %s

// The stage says which of its loops prefetches what; of two commands for one loop the later counts.
te.func @kept(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @kept {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  %xo, %xi = schedule.split %x factor 8
  schedule.prefetch %C, %B at %xo offset 1
  schedule.prefetch %C, %B at %xi offset 3
  schedule.prefetch %C, %B at %xo offset 2
}

// CHECK-LABEL: te.func @kept
// CHECK:         schedule.stage "C"
// CHECK:           schedule.order %xo, %xi
// CHECK-NEXT:      schedule.prefetched %B at %xi offset 3
// CHECK-NEXT:      schedule.prefetched %B at %xo offset 2
// CHECK-NEXT:      schedule.equation

// -----

// What a stage reads that is computed in the loop counts, too; a cache of a tensor is one.
te.func @inside(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @inside {
  %C = schedule.get "C"
  %B = schedule.get "B"
  %AS = schedule.cache_read argument 0 "shared" readers %B
  %x = schedule.axes 1 of %C
  %xo, %xi = schedule.split %x factor 8
  schedule.compute_at %B, %C, %xo
  schedule.prefetch %C, %AS at %xo offset 1
  %i = schedule.axes 1 of %AS
  schedule.prefetch %AS, argument 0 at %i offset 16
}

// CHECK-LABEL: te.func @inside
// CHECK:         %A.shared = schedule.stage "A.shared"
// CHECK:           schedule.prefetched %A at %ax0 offset 16
// CHECK:         schedule.stage "C"
// CHECK:           schedule.stage "B" at %xo
// CHECK:           schedule.prefetched %A.shared at %xo offset 1
// CHECK-NEXT:      schedule.equation
