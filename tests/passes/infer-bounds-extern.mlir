// RUN: teloom-opt %s -p apply-schedule,infer-bounds | filecheck %s

// An extern needs the box that it takes, and no more of its input is computed or stored.
// CHECK-LABEL: te.func @slice
// CHECK: schedule.stage "B"
// CHECK: schedule.region [%n : 1, 0 : %n]
// CHECK: schedule.range %i = %n to %n + 1
// CHECK: schedule.stage "C" () : tensor<?xf32>
// CHECK: schedule.region []
te.func @slice(%n: index, %A: tensor<?x?xf32>[2 * %n, %n + 4]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = 2 * %n, %j = %n + 4) : tensor<?x?xf32> {
    %a = te.read %A[%i, %j] : f32
    te.yield %a : f32
  }
  %C = te.extern "C" (%c: tensor<?xf32>[%n + 1]) {
    %b = te.buffer %B[%n : 1, 0 : %n] : memref<1x?xf32, strided<[?, 1], offset: ?>>
  }
  te.return %C : tensor<?xf32>
}

// The whole of an extern's tensor is there, whatever its readers need; what they need of
// other stages is what they read.
// CHECK-LABEL: te.func @whole
// CHECK: schedule.stage "A" (%i = 64)
// CHECK: schedule.region [8 : 16]
// CHECK: schedule.stage "B" at %x () : tensor<64xf32>
// CHECK: schedule.region []
te.func @whole() -> (tensor<4xf32>) {
  %A = te.compute "A" (%i = 64) : tensor<64xf32> {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }
  %B = te.extern "B" (%b: tensor<64xf32>) {
    %0 = te.buffer %A[8 : 16] : memref<16xf32, strided<[1], offset: ?>>
  }
  %C = te.compute "C" (%x = 4) : tensor<4xf32> {
    %b = te.read %B[%x + 30] : f32
    te.yield %b : f32
  }
  te.return %C : tensor<4xf32>
}
schedule.sequence @t on @whole {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %x = schedule.axes 1 of %C
  schedule.compute_at %B, %C, %x
}
