// RUN: not teloom-opt %s --split-input-file -p infer-bounds 2>&1 | filecheck %s

// How far the next part is, is no constant.
// CHECK: error: infer-bounds: cannot say what "C" reads 1 iterations of xo ahead: how C.x follows from it is not affine, for an extent is symbolic; prefetch at an axis that is not made by such a fuse or split
te.func @parts(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%x = %n) : tensor<?xf32> {
    %xo, %xi = schedule.split %x nparts 4
    schedule.order %xo, %xi
    schedule.prefetched %A at %xo offset 1
    schedule.equation (%x_1) {
      %a = te.read %A[%x_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?xf32>
}

// -----

// CHECK: error: infer-bounds: cannot say what "C" reads 1 iterations of xy ahead: how C.x follows from it is not affine
te.func @fused(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?x?xf32>) {
  %C = schedule.stage "C" (%x = %n, %y = %n) : tensor<?x?xf32> {
    %xy = schedule.fuse %x, %y
    schedule.order %xy
    schedule.prefetched %A at %xy offset 1
    schedule.equation (%x_1, %y_1) {
      %a = te.read %A[%x_1] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<?x?xf32>
}

// -----

// Text that prefetches what the loop does not read.
// CHECK: error: infer-bounds: the loop of i prefetches B, but reads nothing of it that is stored outside of that loop
te.func @unread(%A: tensor<8xf32>, %B: tensor<8xf32>) -> (tensor<8xf32>) {
  %C = schedule.stage "C" (%i = 8) : tensor<8xf32> {
    schedule.prefetched %B at %i offset 1
    schedule.order %i
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %C : tensor<8xf32>
}
