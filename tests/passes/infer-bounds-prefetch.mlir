// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// What iteration ko + 1 needs, as far as the tensors go: no bound is said twice. The rows of the
// last tile may be fewer, so their bound is there, too.
te.func @matvec(%n: index, %A: tensor<?x100xf32>[%n, 100], %x: tensor<100xf32>) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n) reduce (%k = 100) : tensor<?xf32> {
    %a = te.read %A[%i, %k] : f32
    %b = te.read %x[%k] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%p: f32, %q: f32) identity [0.0 : f32] {
    %s = arith.addf %p, %q : f32
    te.yield %s : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @matvec {
  %C = schedule.get "C"
  %i, %k = schedule.axes 2 of %C
  %io, %ii = schedule.split %i factor 8
  %ko, %ki = schedule.split %k factor 32
  schedule.reorder %io, %ko, %ii, %ki
  schedule.prefetch %C, argument 0 at %ko offset 1
  schedule.prefetch %C, argument 1 at %ko offset 2
  schedule.prefetch %C, argument 1 at %io offset 1
  schedule.prefetch %C, argument 0 at %ki offset 16
}

// CHECK-LABEL: te.func @matvec
// CHECK:         schedule.prefetched %A at %ko offset 1 [%io * 8 to min(%n, %io * 8 + 8), %ko * 32 + 32 to min(100, %ko * 32 + 64)]
// CHECK-NEXT:    schedule.prefetched %x at %ko offset 2 [%ko * 32 + 64 to min(100, %ko * 32 + 96)]
// CHECK-NEXT:    schedule.prefetched %x at %io offset 1 [0 to 100]
// CHECK-NEXT:    schedule.prefetched %A at %ki offset 16 [%io * 8 + %ii to %io * 8 + %ii + 1, %ko * 32 + %ki + 16 to min(100, %ko * 32 + %ki + 17)]

// -----

// Of a temporary it is at most what is stored, here the rows of a tile; what B reads counts,
// for it is computed in the loop.
te.func @of_a_temporary(%A: tensor<66xf32>) -> (tensor<64xf32>) {
  %T = te.compute "T" (%t = 66) : tensor<66xf32> {
    %a = te.read %A[%t] : f32
    te.yield %a : f32
  }
  %B = te.compute "B" (%i = 65) : tensor<65xf32> {
    %0 = te.read %T[%i] : f32
    %1 = te.read %T[%i + 1] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %0 = te.read %B[%x] : f32
    %1 = te.read %B[%x + 1] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @of_a_temporary {
  %T = schedule.get "T"
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  %xo, %xi = schedule.split %x factor 16
  schedule.compute_at %T, %C, %xo
  schedule.compute_at %B, %C, %xi
  schedule.prefetch %C, %T at %xi offset 4
}

// CHECK-LABEL: te.func @of_a_temporary
// CHECK:         schedule.stage "T" at %xo
// CHECK:           schedule.region [%xo * 16 : 18]
// CHECK:         schedule.prefetched %T at %xi offset 4 [%xo * 16 + %xi + 4 to min(%xo * 16 + 18, %xo * 16 + %xi + 7)]

// -----

// A loop that runs backwards has smaller coordinates ahead; they end at 0.
te.func @backwards(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @backwards {
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  %r = schedule.reverse %x
  schedule.prefetch %C, argument 0 at %r offset 3
}

// CHECK-LABEL: te.func @backwards
// CHECK:         schedule.prefetched %A at %r offset 3 [max(0, %r * -1 + 60) to %r * -1 + 61]

// -----

// In a part of an unknown size, the inner axis still goes on by one element; a guard of a
// read does not change the box.
te.func @parts(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = te.compute "C" (%x = %n) : tensor<?xf32> {
    %a = te.read %A[%x] : f32
    te.yield %a : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @parts {
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  %xo, %xi = schedule.split %x nparts 4
  schedule.prefetch %C, argument 0 at %xi offset 3
}

// CHECK-LABEL: te.func @parts
// CHECK:         schedule.prefetched %A at %xi offset 3 [%x + 3 to min(%n, %x + 4)]
