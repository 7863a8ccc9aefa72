// RUN: not teloom-opt %s -p build-loops 2>&1 | filecheck %s

// CHECK: error: build-loops: the loop of axis ii of "C" is shared with other stages; no code of an intrinsic can stand in its place
te.func @code(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = schedule.stage "B" (%i = 8) : tensor<8xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    schedule.region [0 : 8]
    schedule.range %io = 0 to 2
    schedule.range %ii = 0 to 4
    schedule.value %i = %io * 4 + %ii
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" sharing 2 (%i = 8) : tensor<8xf32> {
    %io, %ii = schedule.split %i factor 4
    schedule.order %io, %ii
    schedule.region [0 : 8]
    schedule.range %io = 0 to 2
    schedule.range %ii = 0 to 4
    schedule.value %i = %io * 4 + %ii
    schedule.code fills %ii from [%ii = 0] (%p) (%out: tensor<8xf32>) {
      %a = te.buffer %A[%p : 4] : memref<4xf32, strided<[1], offset: ?>>
      %c = te.buffer %out[%p : 4] : memref<4xf32, strided<[1], offset: ?>>
    }
    schedule.equation (%p) {
      %a = te.read %A[%p] : f32
      te.yield %a : f32
    }
  }
  te.return %B, %C : tensor<8xf32>, tensor<8xf32>
}
