// RUN: teloom-opt %s -p apply-schedule,infer-bounds,build-loops | filecheck %s

// The scope goes to the storage, and the thread axes to the loops.
te.func @copy(%A: tensor<64xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 64) : tensor<64xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%x = 64) : tensor<64xf32> {
    %b = te.read %B[%x] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<64xf32>
}
schedule.sequence @s on @copy {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  %xo, %xi = schedule.split %x factor 32
  schedule.bind %xo "blockIdx.x"
  schedule.bind %xi "threadIdx.x"
  schedule.compute_at %B, %C, %xo
  %i = schedule.axes 1 of %B
  schedule.bind %i "threadIdx.x"
}

// CHECK-LABEL: @copy
// CHECK:         loop.for %xo = 0 to 2 blockIdx.x {
// CHECK-NEXT:      loop.realize "B" [%xo * 32 : 32] in "shared" : !loop.tensor<1, f32>
// CHECK-NEXT:      loop.for %i = %xo * 32 to %xo * 32 + 32 threadIdx.x {
// CHECK:           loop.for %xi = 0 to 32 threadIdx.x {
