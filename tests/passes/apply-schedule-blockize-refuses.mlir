// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// The last block has four elements.
// CHECK: error: apply-schedule: cannot make a block of "C" at ii: not all blocks are whole: axis i has no point at io = 1, ii = 4; use factors that divide its extent
te.func @ragged(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @ragged {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 8
  schedule.blockize %ii
}

// -----

// Only some sizes have whole blocks.
// CHECK: error: apply-schedule: cannot make a block of "C" at ii: not all blocks are whole: axis i has no point at n = 1, io = 0, ii = 1; use factors that divide its extent
te.func @of_a_size(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %C = te.compute "C" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @of_a_size {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 8
  schedule.blockize %ii
}

// -----

// Twice.
// CHECK: error: apply-schedule: cannot make a block of "C" at io: it is an extern, whose points are blocks already
te.func @twice(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @twice {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 4
  schedule.blockize %ii
  schedule.blockize %io
}

// -----

// Its handle is gone.
// CHECK: axis ii was consumed by blockize
te.func @gone(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @gone {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 4
  schedule.blockize %ii
  schedule.unroll %ii
}

// -----

// A loop of lanes cannot run blocks.
// CHECK: error: apply-schedule: cannot make a block of "C" at ii: io, which is around it, is vectorized
te.func @lanes(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @lanes {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 4
  schedule.vectorize %io
  schedule.blockize %ii
}

// -----

// The axes of a fusion divide its loop.
// CHECK: error: apply-schedule: cannot make a block of "C" at fi: axes io, ii are no sums of multiples of its loops
te.func @fused(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @fused {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 4
  %f = schedule.fuse %io, %ii
  %fo, %fi = schedule.split %f factor 6
  schedule.blockize %fi
}

// -----

// A stage that is computed in the block would be computed by it.
// CHECK: error: apply-schedule: cannot make a block of "C" at ii: "B" is computed inside, at ii
te.func @inside(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%j = 12) : tensor<12xf32> {
    %0 = te.read %A[%j] : f32
    te.yield %0 : f32
  }
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %B[%i] : f32
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @inside {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 4
  %B = schedule.get "B"
  schedule.compute_at %B, %C, %ii
  schedule.blockize %ii
}

// -----

// Blocks of shifted tiles.
// CHECK: error: apply-schedule: cannot make a block of "C" at si: so does not count from 0
te.func @shifted(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %A[%i] : f32
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @shifted {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %s = schedule.shift %i by 4
  %so, %si = schedule.split %s factor 4
  schedule.blockize %si
}

// -----

// How elements lie is said of axes that blocks do not have.
// CHECK: error: apply-schedule: cannot make a block of "B" at j: where its elements are stored is said axis by axis
te.func @aligned(%A: tensor<12xf32>) -> (tensor<12xf32>) {
  %B = te.compute "B" (%j = 12) : tensor<12xf32> {
    %0 = te.read %A[%j] : f32
    te.yield %0 : f32
  }
  %C = te.compute "C" (%i = 12) : tensor<12xf32> {
    %a = te.read %B[%i] : f32
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  }
  te.return %C : tensor<12xf32>
}
schedule.sequence @s on @aligned {
  %C = schedule.get "C"
  %i = schedule.axes 1 of %C
  %io, %ii = schedule.split %i factor 4
  %B = schedule.get "B"
  %j = schedule.axes 1 of %B
  schedule.storage_align %j factor 4 offset 1
  schedule.blockize %j
}

// -----

// CHECK: cannot make a block of "B" at j: "C" shares its loop
te.func @shared(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %a = te.read %A[%j, %i] : f32
    te.yield %a : f32
  }
  te.return %B, %C : tensor<8x8xf32>, tensor<8x8xf32>
}
schedule.sequence @s on @shared {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %i, %j = schedule.axes 2 of %B
  schedule.compute_with %C, %B, %j
  schedule.blockize %j
}
