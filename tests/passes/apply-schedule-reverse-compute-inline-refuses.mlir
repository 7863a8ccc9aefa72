// RUN: not teloom-opt %s --split-input-file -p apply-schedule 2>&1 | filecheck %s

// CHECK: reverse_compute_inline of "C": it reads no stage
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": it reads several elements of "B": [p, q], [q, p]
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = te.read %B[%q, %p] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": what it reads at [p, p] has no inverse: it is not injective: [0, 0] and [0, 1] both become [0, 0]
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %p] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": what it reads at [p * 2 + q, p * 2 + q] has no inverse: it is not injective:
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 32, %j = 32) : tensor<32x32xf32> {
    %0 = te.read %A[%i floordiv 4, %j floordiv 4] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p * 2 + %q, %p * 2 + %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": stage "C" at [0] reads B[-8], but axis 0 of B runs from 0 to 7
te.func @f(%A: tensor<8xf32>) -> (tensor<16xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %0 = te.read %A[%i] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 16) : tensor<16xf32> {
    %0 = te.read %B[%p - 8] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<16xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": stage "C" at [127, 0] reads B[127, 0], but axis 0 of B runs from 0 to 126
te.func @f(%A: tensor<128x128xf32>) -> (tensor<128x128xf32>) {
  %B = te.compute "B" (%i = 127, %j = 128) : tensor<127x128xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 128, %q = 128) : tensor<128x128xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<128x128xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": it reads several stages: "B", "E"
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %E = te.compute "E" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%j, %i] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = te.read %E[%p, %q] : f32
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": its producer "B" is also read by "D"
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %D = te.compute "D" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C, %D : tensor<8x8xf32>, tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": its producer "B" is an output
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %B, %C : tensor<8x8xf32>, tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": its own loops would be lost; this command comes before all others on its axes
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %p, %q = schedule.axes 2 of %C
  schedule.vectorize %q
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": "B" is computed inside it
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %p, %q = schedule.axes 2 of %C
  %B = schedule.get "B"
  schedule.compute_at %B, %C, %p
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": it reads "B" under a condition
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %0 = te.read %A[%i] : f32
    te.yield %0 : f32
  }
  %C = te.compute "C" (%p = 8) : tensor<8xf32> {
    %zero = arith.constant 0.0 : f32
    %four = arith.constant 4 : index
    %when = arith.cmpi slt, %p, %four : index
    %1 = scf.if %when -> (f32) {
      %2 = te.read %B[%p] : f32
      scf.yield %2 : f32
    } else {
      scf.yield %zero : f32
    }
    te.yield %1 : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": its producer "B" is a reduction, which is complete only behind its loops
te.func @f(%A: tensor<8x4xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) reduce (%k = 4) : tensor<8xf32> {
    %0 = te.read %A[%i, %k] : f32
    te.yield %0 : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  %C = te.compute "C" (%p = 8) : tensor<8xf32> {
    %0 = te.read %B[%p] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": it is a reduction, of which no element is a function of one that it reads
te.func @f(%A: tensor<8x4xf32>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 4) : tensor<8x4xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8) reduce (%k = 4) : tensor<8xf32> {
    %0 = te.read %B[%p, %k] : f32
    te.yield %0 : f32
  } combine (%x: f32, %y: f32) identity [0.0 : f32] {
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": it computes 2 tensors at a time, which fission_results parts
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %0 = te.read %A[%i] : f32
    te.yield %0 : f32
  }
  %C, %D = te.compute "C" (%p = 8) : tensor<8xf32>, tensor<8xf32> {
    %0 = te.read %B[%p] : f32
    te.yield %0, %0 : f32, f32
  }
  te.return %C, %D : tensor<8xf32>, tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": what it reads at [(n - p) ceildiv 2 - 1] has no inverse: it is not injective: [0] and [1] both become [0], with n = 2
te.func @f(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %0 = te.read %A[%i] : f32
    te.yield %0 : f32
  }
  %C = te.compute "C" (%p = %n) : tensor<?xf32> {
    %0 = te.read %B[(%n - %p - 1) floordiv 2] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<?xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": which element of "B" it reads is no affine expression of its axes
te.func @f(%A: tensor<8xf32>, %I: tensor<8xi8>) -> (tensor<8xf32>) {
  %B = te.compute "B" (%i = 8) : tensor<8xf32> {
    %0 = te.read %A[%i] : f32
    te.yield %0 : f32
  }
  %C = te.compute "C" (%p = 8) : tensor<8xf32> {
    %0 = te.read %I[%p] : i8
    %1 = arith.index_cast %0 : i8 to index
    %2 = te.read %B[%1] : f32
    te.yield %2 : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": its producer "B" computes 2 tensors at a time, which fission_results parts
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B, %E = te.compute "B" (%i = 8) : tensor<8xf32>, tensor<8xf32> {
    %0 = te.read %A[%i] : f32
    te.yield %0, %0 : f32, f32
  }
  %C = te.compute "C" (%p = 8) : tensor<8xf32> {
    %0 = te.read %B[%p] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": its producer "B" is an extern, whose body is no equation
te.func @f(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  %B = te.extern "B" (%b: tensor<8xf32>) {
    %a = te.buffer %A[0 : 8] : memref<8xf32>
    %zero = arith.constant 0 : index
    %x = memref.load %a[%zero] : memref<8xf32>
    %o = te.buffer %b[0 : 8] : memref<8xf32>
    memref.store %x, %o[%zero] : memref<8xf32>
  }
  %C = te.compute "C" (%p = 8) : tensor<8xf32> {
    %0 = te.read %B[%p] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}

// -----

// CHECK: reverse_compute_inline of "C": it prefetches in its loops
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %p, %q = schedule.axes 2 of %C
  %B = schedule.get "B"
  schedule.prefetch %C, %B at %p offset 1
  schedule.reverse_compute_inline %C
}

// -----

// Its elements are gone, while its loops are those of the other stage.
// CHECK: stage "B" was merged into "C"
te.func @f(%A: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %B = te.compute "B" (%i = 8, %j = 8) : tensor<8x8xf32> {
    %0 = te.read %A[%i, %j] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  %C = te.compute "C" (%p = 8, %q = 8) : tensor<8x8xf32> {
    %0 = te.read %B[%p, %q] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %C : tensor<8x8xf32>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
  %B = schedule.get "B"
  schedule.set_scope %B "local"
}

// -----

// CHECK: error: apply-schedule: a bound or subscript needs the number 18446744073709551616, which does not fit into 64 bits
// CHECK-NEXT: schedule.reverse_compute_inline %C
te.func @large_number(%A: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
  %B = te.compute "B" (%i = 8, %j = 16) : tensor<8x16xf32> {
    %0 = te.read %A[%i, %j] : f32
    te.yield %0 : f32
  }
  %C = te.compute "C" (%i = 8, %j = 16) : tensor<8x16xf32> {
    %0 = te.read %B[%i, (%i * 16 + %j) mod 16 * 4294967296 * 4294967296] : f32
    te.yield %0 : f32
  }
  te.return %C : tensor<8x16xf32>
}
schedule.sequence @s on @large_number {
  %C = schedule.get "C"
  schedule.reverse_compute_inline %C
}
