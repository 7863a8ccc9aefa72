// RUN: teloom-opt %s --split-input-file -p apply-schedule,infer-bounds | filecheck %s

// A loop inside the place that is over the same threads as one around it: a thread runs the one
// iteration that has its index, and needs no other in a memory of its own.
te.func @own(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 68) : tensor<68xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 68) : tensor<68xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%x = 64) : tensor<64xf32> {
    %c = te.read %C[%x + 3] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<64xf32>
}
schedule.sequence @s on @own {
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
  schedule.compute_at %B, %D, %tx
}

// CHECK-LABEL: te.func @own
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:           schedule.region [%xo * 16 + %tx + 3 : 1]
// CHECK:         schedule.stage "C" at %tx in "shared"
// CHECK:           schedule.region [%xo * 16 + 3 : 16]

// -----

// In shared memory all iterations are needed, for there is one copy for all threads.
te.func @one_copy(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 68) : tensor<68xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 68) : tensor<68xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%x = 64) : tensor<64xf32> {
    %c = te.read %C[%x + 3] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<64xf32>
}
schedule.sequence @s on @one_copy {
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
  schedule.compute_at %B, %D, %tx
  schedule.set_scope %B "shared"
}

// CHECK-LABEL: te.func @one_copy
// CHECK:         schedule.stage "B" at %tx in "shared"
// CHECK:           schedule.region [%xo * 16 + 3 : 16]

// -----

// Threads of another axis are others: no thread of x has an index among those of y.
te.func @others(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 68) : tensor<68xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 68) : tensor<68xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%x = 64) : tensor<64xf32> {
    %c = te.read %C[%x + 3] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<64xf32>
}
schedule.sequence @s on @others {
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
  schedule.bind %j "threadIdx.y"
  schedule.compute_at %B, %D, %tx
}

// CHECK-LABEL: te.func @others
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:           schedule.region [%xo * 16 + 3 : 16]

// -----

// 18 iterations and 16 threads: whoever runs the last two, needs what they read.
te.func @more_iterations(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 68) : tensor<68xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 68) : tensor<68xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%x = 64) : tensor<64xf32> {
    %c = te.read %C[%x] : f32
    %d = te.read %C[%x + 2] : f32
    %e = arith.addf %c, %d : f32
    te.yield %e : f32
  }
  te.return %D : tensor<64xf32>
}
schedule.sequence @s on @more_iterations {
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
  schedule.compute_at %B, %D, %tx
}

// CHECK-LABEL: te.func @more_iterations
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:           schedule.region [%xo * 16 : 18]

// -----

// In rounds of 16 each thread has one or two of them.
te.func @rounds(%A: tensor<68xf32>) -> (tensor<64xf32>) {
  %B = te.compute "B" (%i = 68) : tensor<68xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = 68) : tensor<68xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%x = 64) : tensor<64xf32> {
    %c = te.read %C[%x] : f32
    %d = te.read %C[%x + 2] : f32
    %e = arith.addf %c, %d : f32
    te.yield %e : f32
  }
  te.return %D : tensor<64xf32>
}
schedule.sequence @s on @rounds {
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
  %jo, %ji = schedule.split %j factor 16
  schedule.bind %ji "threadIdx.x"
  schedule.compute_at %B, %D, %tx
}

// CHECK-LABEL: te.func @rounds
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:           schedule.region [%xo * 16 + %tx : {{.*}}]
// CHECK:           schedule.range %i = %xo * 16 + %tx to %xo * 16 + 18
// CHECK:           schedule.guard ((%i - %tx) mod 16 == 0)

// -----

// A symbolic size: the last block has fewer threads, and as many iterations.
te.func @last(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %a = te.read %A[%i] : f32
    te.yield %a : f32
  }
  %C = te.compute "C" (%j = %n) : tensor<?xf32> {
    %b = te.read %B[%j] : f32
    te.yield %b : f32
  }
  %D = te.compute "D" (%x = %n) : tensor<?xf32> {
    %c = te.read %C[%x] : f32
    te.yield %c : f32
  }
  te.return %D : tensor<?xf32>
}
schedule.sequence @s on @last {
  %B = schedule.get "B"
  %C = schedule.get "C"
  %D = schedule.get "D"
  %x = schedule.axes 1 of %D
  %xo, %tx = schedule.split %x factor 32
  schedule.bind %xo "blockIdx.x"
  schedule.bind %tx "threadIdx.x"
  schedule.compute_at %C, %D, %tx
  schedule.set_scope %C "shared"
  %j = schedule.axes 1 of %C
  schedule.bind %j "threadIdx.x"
  schedule.compute_at %B, %D, %tx
}

// CHECK-LABEL: te.func @last
// CHECK:         schedule.stage "B" at %tx in "local" (
// CHECK:           schedule.region [%xo * 32 + %tx : 1]
