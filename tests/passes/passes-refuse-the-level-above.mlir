// RUN: not teloom-opt %s -p infer-bounds 2>&1 | filecheck %s --check-prefix=BOUNDS
// RUN: not teloom-opt %s -p build-loops 2>&1 | filecheck %s --check-prefix=LOOPS
// RUN: not teloom-opt %s -p storage-flatten 2>&1 | filecheck %s --check-prefix=FLAT
// RUN: not teloom-opt %s -p te-to-loops,buffer-reuse 2>&1 | filecheck %s --check-prefix=REUSE
// RUN: not teloom-opt %s -p te-to-loops,vectorize-loops 2>&1 | filecheck %s --check-prefix=VECTORS
// RUN: not teloom-opt %s -p te-to-loops,unroll-loops 2>&1 | filecheck %s --check-prefix=COPIES
// RUN: not teloom-opt %s -p vectorize-loops 2>&1 | filecheck %s --check-prefix=FAR
// RUN: not teloom-opt %s -p te-to-loops,lower-scf 2>&1 | filecheck %s --check-prefix=BLOCKS

// A pass on a level that it does not know yet says what to run first, instead of doing nothing.
// BOUNDS: error: infer-bounds: te.compute is left here; run apply-schedule first
// LOOPS: error: build-loops: te.compute is left here; run apply-schedule,infer-bounds first
// FLAT: error: storage-flatten: te.func is left here; run te-to-loops first
// REUSE: error: buffer-reuse: loop.bind is left here; run storage-flatten first
// VECTORS: error: vectorize-loops: loop.bind is left here; run storage-flatten first
// COPIES: error: unroll-loops: loop.bind is left here; run storage-flatten first
// BLOCKS: error: lower-scf: loop.bind is left here; run storage-flatten first
// FAR: error: vectorize-loops: te.func is left here; run te-to-memref first
te.func @copy(%A: tensor<4xf32>) -> (tensor<4xf32>) {
  %B = te.compute "B" (%i = 4) : tensor<4xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  te.return %B : tensor<4xf32>
}
