// RUN: not teloom-opt %s --split-input-file -p infer-bounds 2>&1 | filecheck %s

// A thread axis has as many threads as it is said to have.
// CHECK: error: infer-bounds: axis ii of stage "B" is bound to threadIdx.x of extent 32, but its extent is 16; bind an axis of that extent, or leave out the extent of the thread axis
te.func @threads(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = schedule.stage "B" (%i = 64) : tensor<64xf32> {
    %io, %ii = schedule.split %i factor 16
    schedule.extent %ii = 32
    schedule.order %io, %ii threadIdx.x
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %B : tensor<64xf32>
}

// -----

// CHECK: error: infer-bounds: axis i of stage "B" is bound to threadIdx.x of extent 32, but its extent is not constant; bind an axis
te.func @some_threads(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = schedule.stage "B" (%i = %n) : tensor<?xf32> {
    schedule.extent %i = 32
    schedule.order %i threadIdx.x
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %B : tensor<?xf32>
}

// -----

// Without a guard, no iterations are idle but those of parts in just as many threads.
// CHECK: error: infer-bounds: axis io of stage "B" is bound to threadIdx.x of extent 32, but its extent is 10; bind an axis
te.func @more_threads_than_parts(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = schedule.stage "B" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i nparts 16
    schedule.extent %io = 32
    schedule.order %io threadIdx.x, %ii
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %B : tensor<20xf32>
}

// -----

// Empty parts take time, so a split makes no more of them than one for each iteration may cost.
// CHECK: error: infer-bounds: split of axis i by nparts 2097152: nparts must be at most 1048576
te.func @many_empty_parts(%A: tensor<20xf32>) -> (tensor<20xf32>) {
  %B = schedule.stage "B" (%i = 20) : tensor<20xf32> {
    %io, %ii = schedule.split %i nparts 2097152 tail "guard"
    schedule.order %io, %ii
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %B : tensor<20xf32>
}

// -----

// CHECK: error: infer-bounds: stage "S": a bound or subscript needs the number 9223372036854775808, which does not fit into 64 bits
// CHECK-NEXT: %S = schedule.stage
te.func @large_start(%A: tensor<20x20xf32>) -> (tensor<20xf32>) {
  %S = schedule.stage "S" (%i = 20) reduce (%k = 9223372036854775807 + 1 to %i + 1) : tensor<20xf32> {
    schedule.order %i, %k
    schedule.equation (%p, %r) {
      %a = te.read %A[%p, %r] : f32
      te.yield %a : f32
    } combine (%x: f32, %y: f32) identity [0.0 : f32] {
      %s = arith.addf %x, %y : f32
      te.yield %s : f32
    }
  }
  te.return %S : tensor<20xf32>
}
