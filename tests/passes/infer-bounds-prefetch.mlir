// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// What iteration ko + 1 needs, as far as the tensors go: no bound is said twice. The rows of the
// last tile may be fewer, so their bound is there, too.
te.func @matvec(%n: index, %A: tensor<?x100xf32>[%n, 100], %x: tensor<100xf32>) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%i = %n) reduce (%k = 100) : tensor<?xf32> {
    %io, %ii = schedule.split %i factor 8
    %ko, %ki = schedule.split %k factor 32
    schedule.order %io, %ko, %ii, %ki
    schedule.prefetched %A at %ko offset 1
    schedule.prefetched %x at %ko offset 2
    schedule.prefetched %x at %io offset 1
    schedule.prefetched %A at %ki offset 16
    schedule.equation (%i_1, %k_1) {
      %a = te.read %A[%i_1, %k_1] : f32
      %b = te.read %x[%k_1] : f32
      %c = arith.mulf %a, %b : f32
      te.yield %c : f32
    } combine (%p: f32, %q: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<?xf32>
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
  %C = schedule.stage "C" (%x = 64) : tensor<64xf32> {
    %xo, %xi = schedule.split %x factor 16
    schedule.order %xo, %xi
    %T = schedule.stage "T" at %xo (%t = 66) : tensor<66xf32> {
      schedule.order %t
      schedule.equation (%t_1) {
        %a = te.read %A[%t_1] : f32
        te.yield %a : f32
      }
    }
    %B = schedule.stage "B" at %xi (%i = 65) : tensor<65xf32> {
      schedule.order %i
      schedule.equation (%i_1) {
        %0 = te.read %T[%i_1] : f32
        %1 = te.read %T[%i_1 + 1] : f32
        %2 = arith.addf %0, %1 : f32
        te.yield %2 : f32
      }
    }
    schedule.prefetched %T at %xi offset 4
    schedule.equation (%x_1) {
      %3 = te.read %B[%x_1] : f32
      %4 = te.read %B[%x_1 + 1] : f32
      %5 = arith.addf %3, %4 : f32
      te.yield %5 : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// CHECK-LABEL: te.func @of_a_temporary
// CHECK:         schedule.stage "T" at %xo
// CHECK:           schedule.region [%xo * 16 : 18]
// CHECK:         schedule.prefetched %T at %xi offset 4 [%xo * 16 + %xi + 4 to min(%xo * 16 + 18, %xo * 16 + %xi + 7)]

// -----

// A loop that runs backwards has smaller coordinates ahead; they end at 0.
te.func @backwards(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%x = 64) : tensor<64xf32> {
    %r = schedule.reverse %x
    schedule.order %r
    schedule.prefetched %A at %r offset 3
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// CHECK-LABEL: te.func @backwards
// CHECK:         schedule.prefetched %A at %r offset 3 [max(0, %r * -1 + 60) to %r * -1 + 61]

// -----

// In a part of an unknown size, the inner axis still goes on by one element; a guard of a
// read does not change the box.
te.func @parts(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%x = %n) : tensor<?xf32> {
    %xo, %xi = schedule.split %x nparts 4
    schedule.order %xo, %xi
    schedule.prefetched %A at %xi offset 3
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @parts
// CHECK:         schedule.prefetched %A at %xi offset 3 [%x + 3 to min(%n, %x + 4)]
