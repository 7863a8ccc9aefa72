// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// A loop inside the place that is over the same threads as one around it: a thread runs the one
// iteration that has its index, and needs no other in a memory of its own.
te.func @own(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %D = schedule.stage "D" (%x = 64) : tensor<64xf32> {
    %xo, %tx = schedule.split %x factor 16
    schedule.order %xo blockIdx.x, %tx threadIdx.x
    %B = schedule.stage "B" at %tx (%i = 68) : tensor<68xf32> {
      schedule.order %i
      schedule.equation (%i_1) {
        %a = te.read %A[%i_1] : f32
        te.yield %a : f32
      }
    }
    %C = schedule.stage "C" at %tx in "shared" (%j = 68) : tensor<68xf32> {
      schedule.order %j threadIdx.x
      schedule.equation (%j_1) {
        %b = te.read %B[%j_1] : f32
        te.yield %b : f32
      }
    }
    schedule.equation (%x_1) {
      %c = te.read %C[%x_1 + 3] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<64xf32>
}

// CHECK-LABEL: te.func @own
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:           schedule.region [%xo * 16 + %tx + 3 : 1]
// CHECK:         schedule.stage "C" at %tx in "shared"
// CHECK:           schedule.region [%xo * 16 + 3 : 16]

// -----

// In shared memory all iterations are needed, for there is one copy for all threads.
te.func @one_copy(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %D = schedule.stage "D" (%x = 64) : tensor<64xf32> {
    %xo, %tx = schedule.split %x factor 16
    schedule.order %xo blockIdx.x, %tx threadIdx.x
    %B = schedule.stage "B" at %tx in "shared" (%i = 68) : tensor<68xf32> {
      schedule.order %i
      schedule.equation (%i_1) {
        %a = te.read %A[%i_1] : f32
        te.yield %a : f32
      }
    }
    %C = schedule.stage "C" at %tx in "shared" (%j = 68) : tensor<68xf32> {
      schedule.order %j threadIdx.x
      schedule.equation (%j_1) {
        %b = te.read %B[%j_1] : f32
        te.yield %b : f32
      }
    }
    schedule.equation (%x_1) {
      %c = te.read %C[%x_1 + 3] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<64xf32>
}

// CHECK-LABEL: te.func @one_copy
// CHECK:         schedule.stage "B" at %tx in "shared"
// CHECK:           schedule.region [%xo * 16 + 3 : 16]

// -----

// Threads of another axis are others: no thread of x has an index among those of y.
te.func @others(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %D = schedule.stage "D" (%x = 64) : tensor<64xf32> {
    %xo, %tx = schedule.split %x factor 16
    schedule.order %xo blockIdx.x, %tx threadIdx.x
    %B = schedule.stage "B" at %tx (%i = 68) : tensor<68xf32> {
      schedule.order %i
      schedule.equation (%i_1) {
        %a = te.read %A[%i_1] : f32
        te.yield %a : f32
      }
    }
    %C = schedule.stage "C" at %tx in "shared" (%j = 68) : tensor<68xf32> {
      schedule.order %j threadIdx.y
      schedule.equation (%j_1) {
        %b = te.read %B[%j_1] : f32
        te.yield %b : f32
      }
    }
    schedule.equation (%x_1) {
      %c = te.read %C[%x_1 + 3] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<64xf32>
}

// CHECK-LABEL: te.func @others
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:           schedule.region [%xo * 16 + 3 : 16]

// -----

// 18 iterations and 16 threads: whoever runs the last two, needs what they read.
te.func @more_iterations(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %D = schedule.stage "D" (%x = 64) : tensor<64xf32> {
    %xo, %tx = schedule.split %x factor 16
    schedule.order %xo blockIdx.x, %tx threadIdx.x
    %B = schedule.stage "B" at %tx (%i = 68) : tensor<68xf32> {
      schedule.order %i
      schedule.equation (%i_1) {
        %a = te.read %A[%i_1] : f32
        te.yield %a : f32
      }
    }
    %C = schedule.stage "C" at %tx in "shared" (%j = 68) : tensor<68xf32> {
      schedule.order %j threadIdx.x
      schedule.equation (%j_1) {
        %b = te.read %B[%j_1] : f32
        te.yield %b : f32
      }
    }
    schedule.equation (%x_1) {
      %c = te.read %C[%x_1] : f32
      %d = te.read %C[%x_1 + 2] : f32
      %e = arith.addf %c, %d : f32
      te.yield %e : f32
    }
  }
  te.return %D : tensor<64xf32>
}

// CHECK-LABEL: te.func @more_iterations
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:           schedule.region [%xo * 16 : 18]

// -----

// In rounds of 16 each thread has one or two of them.
te.func @rounds(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %D = schedule.stage "D" (%x = 64) : tensor<64xf32> {
    %xo, %tx = schedule.split %x factor 16
    schedule.order %xo blockIdx.x, %tx threadIdx.x
    %B = schedule.stage "B" at %tx (%i = 68) : tensor<68xf32> {
      schedule.order %i
      schedule.equation (%i_1) {
        %a = te.read %A[%i_1] : f32
        te.yield %a : f32
      }
    }
    %C = schedule.stage "C" at %tx in "shared" (%j = 68) : tensor<68xf32> {
      %jo, %ji = schedule.split %j factor 16
      schedule.order %jo, %ji threadIdx.x
      schedule.equation (%j_1) {
        %b = te.read %B[%j_1] : f32
        te.yield %b : f32
      }
    }
    schedule.equation (%x_1) {
      %c = te.read %C[%x_1] : f32
      %d = te.read %C[%x_1 + 2] : f32
      %e = arith.addf %c, %d : f32
      te.yield %e : f32
    }
  }
  te.return %D : tensor<64xf32>
}

// CHECK-LABEL: te.func @rounds
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:           schedule.region [%xo * 16 + %tx : {{.*}}]
// CHECK:           schedule.range %i = %xo * 16 + %tx to %xo * 16 + 18
// CHECK:           schedule.guard ((%i - %tx) mod 16 == 0)

// -----

// A symbolic size: the last block has fewer threads, and as many iterations.
te.func @last(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %D = schedule.stage "D" (%x = %n) : tensor<?xf32> {
    %xo, %tx = schedule.split %x factor 32
    schedule.order %xo blockIdx.x, %tx threadIdx.x
    %B = schedule.stage "B" at %tx (%i = %n) : tensor<?xf32> {
      schedule.order %i
      schedule.equation (%i_1) {
        %a = te.read %A[%i_1] : f32
        te.yield %a : f32
      }
    }
    %C = schedule.stage "C" at %tx in "shared" (%j = %n) : tensor<?xf32> {
      schedule.order %j threadIdx.x
      schedule.equation (%j_1) {
        %b = te.read %B[%j_1] : f32
        te.yield %b : f32
      }
    }
    schedule.equation (%x_1) {
      %c = te.read %C[%x_1] : f32
      te.yield %c : f32
    }
  }
  te.return %D : tensor<?xf32>
}

// CHECK-LABEL: te.func @last
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:           schedule.region [%xo * 32 + %tx : 1]
