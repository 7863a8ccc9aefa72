// RUN: teloom-opt %s -p infer-bounds | filecheck %s

// An extern needs the box that it takes, and no more of its input is computed or stored.
// CHECK-LABEL: te.func @slice
// CHECK: schedule.stage "B"
// CHECK: schedule.region [%n : 1, 0 : %n]
// CHECK: schedule.range %i = %n to %n + 1
// CHECK: schedule.stage "C" () : tensor<?xf32>
// CHECK: schedule.region []
te.func @slice(%n: index, %A: tensor<?x?xf32>[%n * 2, %n + 4]) -> (tensor<?xf32>) {
  %B = schedule.stage "B" (%i = %n * 2, %j = %n + 4) : tensor<?x?xf32> {
    schedule.order %i, %j
    schedule.equation (%i_1, %j_1) {
      %a = te.read %A[%i_1, %j_1] : f32
      te.yield %a : f32
    }
  }
  %C = schedule.stage "C" () : tensor<?xf32> {
    schedule.order none
    schedule.extern (%c: tensor<?xf32>[%n + 1]) {
      %b = te.buffer %B[%n : 1, 0 : %n] : memref<1x?xf32, strided<[?, 1], offset: ?>>
    }
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
  %A = schedule.stage "A" (%i = 64) : tensor<64xf32> {
    schedule.order %i
    schedule.equation (%i_1) {
      %one = arith.constant 1.000000e+00 : f32
      te.yield %one : f32
    }
  }
  %C = schedule.stage "C" (%x = 4) : tensor<4xf32> {
    schedule.order %x
    %B = schedule.stage "B" at %x () : tensor<64xf32> {
      schedule.order none
      schedule.extern (%b: tensor<64xf32>) {
        %0 = te.buffer %A[8 : 16] : memref<16xf32, strided<[1], offset: ?>>
      }
    }
    schedule.equation (%x_1) {
      %b = te.read %B[%x_1 + 30] : f32
      te.yield %b : f32
    }
  }
  te.return %C : tensor<4xf32>
}
