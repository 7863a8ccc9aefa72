// RUN: teloom-opt %s -p build-loops | filecheck %s

// The scope goes to the storage, and the thread axes to the loops.
te.func @copy(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%x = 64) : tensor<64xf32> {
    %xo, %xi = schedule.split %x factor 32
    schedule.order %xo blockIdx.x, %xi threadIdx.x
    schedule.region [0 : 64]
    schedule.range %xo = 0 to 2
    schedule.range %xi = 0 to 32
    schedule.range %x = 0 to 64
    schedule.value %x = %xo * 32 + %xi
    %B = schedule.stage "B" at %xo in "shared" (%i = 64) : tensor<64xf32> {
      schedule.order %i threadIdx.x
      schedule.region [%xo * 32 : 32]
      schedule.range %i = %xo * 32 to %xo * 32 + 32
      schedule.equation (%i_1) {
        %a = te.read %A[%i_1] : f32
        te.yield %a : f32
      }
    }
    schedule.equation (%x_1) {
      %b = te.read %B[%x_1] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<64xf32>
}

// CHECK-LABEL: @copy
// CHECK:         loop.for %xo = 0 to 2 blockIdx.x {
// CHECK-NEXT:      loop.realize "B" [%xo * 32 : 32] in "shared" : !loop.tensor<1, f32>
// CHECK-NEXT:      loop.for %i = %xo * 32 to %xo * 32 + 32 threadIdx.x {
// CHECK:           loop.for %xi = 0 to 32 threadIdx.x {
