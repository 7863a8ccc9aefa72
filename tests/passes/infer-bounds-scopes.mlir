// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// The threads of a block see one shared tile: the whole of what they need. Blocks do not.
te.func @shared(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %b = te.read %B[%y, %x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @shared {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 32, 32
  %ty, %yj = schedule.split %yi factor 4
  %tx, %xj = schedule.split %xi factor 4
  schedule.reorder %yo, %xo, %ty, %tx, %yj, %xj
  schedule.bind %yo "blockIdx.y"
  schedule.bind %xo "blockIdx.x"
  schedule.bind %ty "threadIdx.y"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %B, %C, %tx
  schedule.set_scope %B "shared"
}

// CHECK-LABEL: te.func @shared
// CHECK:         schedule.stage "B" at %tx in "shared"
// CHECK:         schedule.region [%yo * 32 : 32, %xo * 32 : 32]
// CHECK:         schedule.range %i = %yo * 32 to %yo * 32 + 32
// CHECK:         schedule.range %j = %xo * 32 to %xo * 32 + 32

// -----

// A thread loop further in than the place counts as any loop there: all of its iterations are needed.
te.func @local_outside(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %b = te.read %B[%y, %x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @local_outside {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 32, 32
  %ty, %yj = schedule.split %yi factor 4
  %tx, %xj = schedule.split %xi factor 4
  schedule.reorder %yo, %xo, %ty, %tx, %yj, %xj
  schedule.bind %yo "blockIdx.y"
  schedule.bind %xo "blockIdx.x"
  schedule.bind %ty "threadIdx.y"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %B, %C, %ty
  schedule.set_scope %B "local"
}

// CHECK-LABEL: te.func @local_outside
// CHECK:         schedule.stage "B" at %ty in "local"
// CHECK:         schedule.region [%yo * 32 + %ty * 4 : 4, %xo * 32 : 32]

// -----

// Without a scope, what is computed in a thread is local to it: nothing is relaxed.
te.func @inferred_local(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %b = te.read %B[%y, %x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @inferred_local {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 32, 32
  %ty, %yj = schedule.split %yi factor 4
  %tx, %xj = schedule.split %xi factor 4
  schedule.reorder %yo, %xo, %ty, %tx, %yj, %xj
  schedule.bind %yo "blockIdx.y"
  schedule.bind %xo "blockIdx.x"
  schedule.bind %ty "threadIdx.y"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %B, %C, %tx
}

// CHECK-LABEL: te.func @inferred_local
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:         schedule.region [%yo * 32 + %ty * 4 : 4, %xo * 32 + %tx * 4 : 4]

// -----

// Without a scope, what is computed in a block and in no thread is shared.
te.func @inferred_shared(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %b = te.read %B[%y, %x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @inferred_shared {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 32, 32
  %ty, %yj = schedule.split %yi factor 4
  %tx, %xj = schedule.split %xi factor 4
  schedule.reorder %yo, %xo, %ty, %tx, %yj, %xj
  schedule.bind %yo "blockIdx.y"
  schedule.bind %xo "blockIdx.x"
  schedule.bind %ty "threadIdx.y"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %B, %C, %xo
}

// CHECK-LABEL: te.func @inferred_shared
// CHECK:         schedule.stage "B" at %xo in "shared" (
// CHECK:         schedule.region [%yo * 32 : 32, %xo * 32 : 32]

// -----

// Without threads around, the scope is global, and is not written.
te.func @inferred_global(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %b = te.read %B[%y, %x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @inferred_global {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %yi = schedule.split %y factor 8
  schedule.bind %yi "threadIdx.x"
  schedule.compute_at %B, %C, %yo
}

// CHECK-LABEL: te.func @inferred_global
// CHECK:         schedule.stage "B" at %yo (
// CHECK:         schedule.region [%yo * 8 : 8, 0 : 64]{{$}}

// -----

// All blocks and threads see one copy in global memory: the whole of what any of them needs.
te.func @global(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %b = te.read %B[%y, %x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @global {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 32, 32
  %ty, %yj = schedule.split %yi factor 4
  %tx, %xj = schedule.split %xi factor 4
  schedule.reorder %yo, %xo, %ty, %tx, %yj, %xj
  schedule.bind %yo "blockIdx.y"
  schedule.bind %xo "blockIdx.x"
  schedule.bind %ty "threadIdx.y"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %B, %C, %tx
  schedule.set_scope %B "global"
}

// CHECK-LABEL: te.func @global
// CHECK:         schedule.stage "B" at %tx in "global"
// CHECK:         schedule.region {{.*}}[0 : 64, 0 : 64]{{$}}

// -----

// The lanes of a warp are numbered by threadIdx.x: they see one copy, other threads do not.
te.func @warp(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %b = te.read %B[%y, %x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @warp {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 32, 32
  %ty, %yj = schedule.split %yi factor 4
  %tx, %xj = schedule.split %xi factor 4
  schedule.reorder %yo, %xo, %ty, %tx, %yj, %xj
  schedule.bind %yo "blockIdx.y"
  schedule.bind %xo "blockIdx.x"
  schedule.bind %ty "threadIdx.y"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %B, %C, %tx
  schedule.set_scope %B "warp"
}

// CHECK-LABEL: te.func @warp
// CHECK:         schedule.stage "B" at %tx in "warp"
// CHECK:         schedule.region [%yo * 32 + %ty * 4 : 4, %xo * 32 : 32]

// -----

// The tag of a scope changes nothing of that.
te.func @tag(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %b = te.read %B[%y, %x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @tag {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %yo, %xo, %yi, %xi = schedule.tile %y, %x by 32, 32
  %ty, %yj = schedule.split %yi factor 4
  %tx, %xj = schedule.split %xi factor 4
  schedule.reorder %yo, %xo, %ty, %tx, %yj, %xj
  schedule.bind %yo "blockIdx.y"
  schedule.bind %xo "blockIdx.x"
  schedule.bind %ty "threadIdx.y"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %B, %C, %tx
  schedule.set_scope %B "shared.dyn"
}

// CHECK-LABEL: te.func @tag
// CHECK:         schedule.region [%yo * 32 : 32, %xo * 32 : 32]

// -----

// A serial loop inside the threads is relaxed by no scope: only its stripes are computed, those of
// all threads, as if the threads were further in.
te.func @serial_loop_inside(%A: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %B = te.compute "B" (%i = 64, %j = 64) : tensor<64x64xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%y = 64, %x = 64) : tensor<64x64xf32> {
    %b = te.read %B[%y, %x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @serial_loop_inside {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %y, %x = schedule.axes 2 of %C
  %tx, %xi = schedule.split %x nparts 8
  %xj, %xk = schedule.split %xi factor 2
  schedule.reorder %tx, %xj, %y, %xk
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %B, %C, %xj
  schedule.set_scope %B "shared"
}

// CHECK-LABEL: te.func @serial_loop_inside
// CHECK:         schedule.stage "B" at %xj in "shared"
// CHECK:         schedule.region [0 : 64, %xj * 2 : 58]
// CHECK:         schedule.range %i = 0 to 64
// CHECK:         schedule.range %j = %xj * 2 to %xj * 2 + 58
// CHECK:         schedule.guard ((%j - %xj * 2 + 6) mod 8 - 6 >= 0

// -----

// A producer of a producer: the block needs 36 shared columns for the 34 of each thread's
// neighbours, and a thread copies its own six.
te.func @chain(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 68) : tensor<68xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 66) : tensor<66xf32> {
    %b0 = te.read %B[%j] : f32
    %b2 = te.read %B[%j + 2] : f32
    %b = arith.addf %b0, %b2 : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%x = 64) : tensor<64xf32> {
    %c0 = te.read %C[%x] : f32
    %c2 = te.read %C[%x + 2] : f32
    %c = arith.addf %c0, %c2 : f32
    te.yield %c : f32
  }
  te.return %D : tensor<64xf32>
}
schedule.sequence @s on @chain {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %x = schedule.axes 1 of %D
  %xo, %xi = schedule.split %x factor 32
  %tx, %xj = schedule.split %xi factor 4
  schedule.bind %xo "blockIdx.x"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %C, %D, %tx
  schedule.compute_at %B, %D, %tx
  schedule.set_scope %B "shared"
}

// CHECK-LABEL: te.func @chain
// CHECK:         schedule.stage "B" at %tx in "shared"
// CHECK:         schedule.region [%xo * 32 : 36]
// CHECK:         schedule.stage "C" at %tx in "local" (
// CHECK:         schedule.region [%xo * 32 + %tx * 4 : 6]

// -----

// A producer inside a shared stage: its threads are those of the copying loops, and the
// threads around, which these are, say nothing of it.
te.func @inside(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 64) : tensor<64xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%x = 64) : tensor<64xf32> {
    %c = te.read %C[%x] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<64xf32>
}
schedule.sequence @s on @inside {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %x = schedule.axes 1 of %D
  %xo, %tx = schedule.split %x factor 16
  schedule.bind %xo "blockIdx.x"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %C, %D, %tx
  schedule.set_scope %C "shared"
  %j = schedule.axes 1 of %C
  schedule.bind %j "threadIdx.x"
  schedule.compute_at %B, %C, %j
}

// CHECK-LABEL: te.func @inside
// CHECK:         schedule.stage "C" at %tx in "shared"
// CHECK:         schedule.region [%xo * 16 : 16]
// CHECK:         schedule.range %j = %xo * 16 to %xo * 16 + 16
// CHECK:         schedule.stage "B" at %j in "local" (
// CHECK:         schedule.region [%j : 1]

// -----

// Blocks that do not divide: the last one has fewer elements, and what is copied ends with them.
te.func @rest(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = %n) : tensor<?xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @rest {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  %xo, %tx = schedule.split %x factor 32
  schedule.bind %xo "blockIdx.x"
  schedule.bind %tx "threadIdx.x" extent 32
  schedule.compute_at %B, %C, %tx
  schedule.set_scope %B "shared"
}

// CHECK-LABEL: te.func @rest
// CHECK:         schedule.region [%xo * 32 : 32]
// CHECK:         schedule.range %i = %xo * 32 to min(%n, %xo * 32 + 32)

// -----

// The tiles of a matrix product: what all threads of a block need of A and B for 8 steps
// of the reduction is shared, 32 x 8 and 8 x 32 elements.
te.func @matmul(%A: tensor<64x64xf32>, %B: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %AA = te.compute "AA" (%p = 64, %q = 64) : tensor<64x64xf32> {
    %a = te.read %A[%p, %q] : f32
    te.yield %a : f32
  }
  %BB = te.compute "BB" (%r = 64, %s = 64) : tensor<64x64xf32> {
    %b = te.read %B[%r, %s] : f32
    te.yield %b : f32
  }
  %C = te.compute "C" (%i = 64, %j = 64) reduce (%k = 64) : tensor<64x64xf32> {
    %a = te.read %AA[%i, %k] : f32
    %b = te.read %BB[%k, %j] : f32
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<64x64xf32>
}
schedule.sequence @s on @matmul {
  %AA = schedule.get "AA"
  %BB = schedule.get "BB"
  %C = schedule.get "C"
  %i, %j, %k = schedule.axes 3 of %C
  %by, %bx, %yi, %xi = schedule.tile %i, %j by 32, 32
  %ty, %yj = schedule.split %yi nparts 8
  %tx, %xj = schedule.split %xi nparts 8
  %ko, %ki = schedule.split %k factor 8
  schedule.reorder %by, %bx, %ty, %tx, %ko, %ki, %yj, %xj
  schedule.bind %by "blockIdx.y"
  schedule.bind %bx "blockIdx.x"
  schedule.bind %ty "threadIdx.y" extent 8
  schedule.bind %tx "threadIdx.x" extent 8
  schedule.compute_at %AA, %C, %ko
  schedule.set_scope %AA "shared"
  %p, %q = schedule.axes 2 of %AA
  %po, %pi = schedule.split %p nparts 8
  schedule.bind %po "threadIdx.y" extent 8
  schedule.bind %q "threadIdx.x" extent 8
  schedule.compute_at %BB, %C, %ko
  schedule.set_scope %BB "shared"
}

// CHECK-LABEL: te.func @matmul
// CHECK:         schedule.stage "AA" at %ko in "shared"
// CHECK:         schedule.region [%by * 32 : 32, %ko * 8 : 8]
// CHECK:         schedule.range %po = 0 to 8
// CHECK:         schedule.range %pi = 0 to 4
// CHECK:         schedule.range %q = %ko * 8 to %ko * 8 + 8
// CHECK:         schedule.stage "BB" at %ko in "shared"
// CHECK:         schedule.region [%ko * 8 : 8, %bx * 32 : 32]

// -----

// An axis that is no affine expression of its leaves, of which the inner one is relaxed: any
// of its positions may be another thread's.
te.func @opaque(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = %n) : tensor<?xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @opaque {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  %xo, %tx = schedule.split %x nparts 4
  schedule.bind %xo "blockIdx.x"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %B, %C, %tx
  schedule.set_scope %B "shared"
}

// CHECK-LABEL: te.func @opaque
// CHECK:         schedule.region [0 : %n]
// CHECK:         schedule.range %i = 0 to %n
