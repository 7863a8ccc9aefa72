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

// What is computed in the loop would run in the idle threads, too.
// CHECK: error: infer-bounds: axis io of stage "C" is bound to threadIdx.x of extent 16, but its extent is 10; bind an axis
te.func @used(%A: tensor<10xf32>) -> (tensor<10xf32>) {
  %C = schedule.stage "C" (%i = 10) : tensor<10xf32> {
    %io, %ii = schedule.split %i nparts 16 tail "guard"
    schedule.extent %io = 16
    schedule.order %io threadIdx.x, %ii
    %B = schedule.stage "B" at %io (%j = 10) : tensor<10xf32> {
      schedule.order %j
      schedule.equation (%p) {
        %a = te.read %A[%p] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%q) {
      %b = te.read %B[%q] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<10xf32>
}
