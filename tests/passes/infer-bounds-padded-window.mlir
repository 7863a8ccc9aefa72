// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// Seven taps, two apart, 16 at a time: 37 elements of the padded stage P; and of B behind the
// padding what is not padding.
te.func @both_at_tile(%A: tensor<224xf32>, %W: tensor<7xf32>) -> (tensor<112xf32>) {
  %C = schedule.stage "C" (%o = 112) reduce (%k = 7) : tensor<112xf32> {
    %oo, %oi = schedule.split %o factor 16
    schedule.order %oo, %oi, %k
    %B = schedule.stage "B" at %oo (%x = 224) : tensor<224xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    %P = schedule.stage "P" at %oo (%y = 230) : tensor<230xf32> {
      schedule.order %y
      schedule.equation (%y_1) {
        %lo = arith.constant 3 : index
        %hi = arith.constant 227 : index
        %a0 = arith.cmpi sge, %y_1, %lo : index
        %a1 = arith.cmpi slt, %y_1, %hi : index
        %in = arith.andi %a0, %a1 : i1
        %v = scf.if %in -> (f32) {
          %e = te.read %B[%y_1 - 3] : f32
          scf.yield %e : f32
        } else {
          %zero = arith.constant 0.000000e+00 : f32
          scf.yield %zero : f32
        }
        te.yield %v : f32
      }
    }
    schedule.equation (%o_1, %k_1) {
      %a = te.read %P[%o_1 * 2 + %k_1] : f32
      %w = te.read %W[%k_1] : f32
      %p = arith.mulf %a, %w : f32
      te.yield %p : f32
    } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %u, %v : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<112xf32>
}

// CHECK-LABEL: te.func @both_at_tile
// CHECK-NEXT:   %C = schedule.stage "C" (%o = 112) reduce (%k = 7) : tensor<112xf32>
// CHECK-NEXT:     %oo, %oi = schedule.split %o factor 16
// CHECK-NEXT:     schedule.order %oo, %oi, %k
// CHECK-NEXT:     schedule.region [0 : 112]
// CHECK-NEXT:     schedule.range %oo = 0 to 7
// CHECK-NEXT:     schedule.range %oi = 0 to 16
// CHECK-NEXT:     schedule.range %k = 0 to 7
// CHECK-NEXT:     schedule.range %o = 0 to 112
// CHECK-NEXT:     schedule.value %o = %oo * 16 + %oi
// CHECK-NEXT:     %B = schedule.stage "B" at %oo (%x = 224) : tensor<224xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%oo * 32 - 3 : 37]
// CHECK-NEXT:       schedule.range %x = max(0, %oo * 32 - 3) to min(224, %oo * 32 + 34)
// CHECK:          %P = schedule.stage "P" at %oo (%y = 230) : tensor<230xf32>
// CHECK-NEXT:       schedule.order %y
// CHECK-NEXT:       schedule.region [%oo * 32 : 37]
// CHECK-NEXT:       schedule.range %y = %oo * 32 to %oo * 32 + 37

// -----

// With the padding inlined its condition is in the reader: B's region is the same.
te.func @pad_inlined(%A: tensor<224xf32>, %W: tensor<7xf32>) -> (tensor<112xf32>) {
  %C = schedule.stage "C" (%o = 112) reduce (%k = 7) : tensor<112xf32> {
    %oo, %oi = schedule.split %o factor 16
    schedule.order %oo, %oi, %k
    %B = schedule.stage "B" at %oo (%x = 224) : tensor<224xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%o_1, %k_1) {
      %0 = affine.apply affine_map<(d0, d1) -> (((d0 * 2) + d1))> (%o_1, %k_1)
      %lo = arith.constant 3 : index
      %hi = arith.constant 227 : index
      %a0 = arith.cmpi sge, %0, %lo : index
      %a1 = arith.cmpi slt, %0, %hi : index
      %in = arith.andi %a0, %a1 : i1
      %v = scf.if %in -> (f32) {
        %e = te.read %B[%o_1 * 2 + %k_1 - 3] : f32
        scf.yield %e : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      %w = te.read %W[%k_1] : f32
      %p = arith.mulf %v, %w : f32
      te.yield %p : f32
    } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %u, %v : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<112xf32>
}

// CHECK-LABEL: te.func @pad_inlined
// CHECK-NEXT:   %C = schedule.stage "C" (%o = 112) reduce (%k = 7) : tensor<112xf32>
// CHECK-NEXT:     %oo, %oi = schedule.split %o factor 16
// CHECK-NEXT:     schedule.order %oo, %oi, %k
// CHECK-NEXT:     schedule.region [0 : 112]
// CHECK-NEXT:     schedule.range %oo = 0 to 7
// CHECK-NEXT:     schedule.range %oi = 0 to 16
// CHECK-NEXT:     schedule.range %k = 0 to 7
// CHECK-NEXT:     schedule.range %o = 0 to 112
// CHECK-NEXT:     schedule.value %o = %oo * 16 + %oi
// CHECK-NEXT:     %B = schedule.stage "B" at %oo (%x = 224) : tensor<224xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%oo * 32 - 3 : 37]
// CHECK-NEXT:       schedule.range %x = max(0, %oo * 32 - 3) to min(224, %oo * 32 + 34)

// -----

// At one output: a window of seven.
te.func @at_point(%A: tensor<224xf32>, %W: tensor<7xf32>) -> (tensor<112xf32>) {
  %C = schedule.stage "C" (%o = 112) reduce (%k = 7) : tensor<112xf32> {
    schedule.order %o, %k
    %B = schedule.stage "B" at %o (%x = 224) : tensor<224xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    %P = schedule.stage "P" at %o (%y = 230) : tensor<230xf32> {
      schedule.order %y
      schedule.equation (%y_1) {
        %lo = arith.constant 3 : index
        %hi = arith.constant 227 : index
        %a0 = arith.cmpi sge, %y_1, %lo : index
        %a1 = arith.cmpi slt, %y_1, %hi : index
        %in = arith.andi %a0, %a1 : i1
        %v = scf.if %in -> (f32) {
          %e = te.read %B[%y_1 - 3] : f32
          scf.yield %e : f32
        } else {
          %zero = arith.constant 0.000000e+00 : f32
          scf.yield %zero : f32
        }
        te.yield %v : f32
      }
    }
    schedule.equation (%o_1, %k_1) {
      %a = te.read %P[%o_1 * 2 + %k_1] : f32
      %w = te.read %W[%k_1] : f32
      %p = arith.mulf %a, %w : f32
      te.yield %p : f32
    } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %u, %v : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<112xf32>
}

// CHECK-LABEL: te.func @at_point
// CHECK-NEXT:   %C = schedule.stage "C" (%o = 112) reduce (%k = 7) : tensor<112xf32>
// CHECK-NEXT:     schedule.order %o, %k
// CHECK-NEXT:     schedule.region [0 : 112]
// CHECK-NEXT:     schedule.range %o = 0 to 112
// CHECK-NEXT:     schedule.range %k = 0 to 7
// CHECK-NEXT:     %B = schedule.stage "B" at %o (%x = 224) : tensor<224xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%o * 2 - 3 : 7]
// CHECK-NEXT:       schedule.range %x = max(0, %o * 2 - 3) to min(224, %o * 2 + 4)
// CHECK:          %P = schedule.stage "P" at %o (%y = 230) : tensor<230xf32>
// CHECK-NEXT:       schedule.order %y
// CHECK-NEXT:       schedule.region [%o * 2 : 7]
// CHECK-NEXT:       schedule.range %y = %o * 2 to %o * 2 + 7

// -----

// At one tap: one element, or none of B where it is padding.
te.func @at_tap(%A: tensor<224xf32>, %W: tensor<7xf32>) -> (tensor<112xf32>) {
  %C = schedule.stage "C" (%o = 112) reduce (%k = 7) : tensor<112xf32> {
    schedule.order %o, %k
    %B = schedule.stage "B" at %k (%x = 224) : tensor<224xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    %P = schedule.stage "P" at %k (%y = 230) : tensor<230xf32> {
      schedule.order %y
      schedule.equation (%y_1) {
        %lo = arith.constant 3 : index
        %hi = arith.constant 227 : index
        %a0 = arith.cmpi sge, %y_1, %lo : index
        %a1 = arith.cmpi slt, %y_1, %hi : index
        %in = arith.andi %a0, %a1 : i1
        %v = scf.if %in -> (f32) {
          %e = te.read %B[%y_1 - 3] : f32
          scf.yield %e : f32
        } else {
          %zero = arith.constant 0.000000e+00 : f32
          scf.yield %zero : f32
        }
        te.yield %v : f32
      }
    }
    schedule.equation (%o_1, %k_1) {
      %a = te.read %P[%o_1 * 2 + %k_1] : f32
      %w = te.read %W[%k_1] : f32
      %p = arith.mulf %a, %w : f32
      te.yield %p : f32
    } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %u, %v : f32
      te.yield %s : f32
    }
  }
  te.return %C : tensor<112xf32>
}

// CHECK-LABEL: te.func @at_tap
// CHECK-NEXT:   %C = schedule.stage "C" (%o = 112) reduce (%k = 7) : tensor<112xf32>
// CHECK-NEXT:     schedule.order %o, %k
// CHECK-NEXT:     schedule.region [0 : 112]
// CHECK-NEXT:     schedule.range %o = 0 to 112
// CHECK-NEXT:     schedule.range %k = 0 to 7
// CHECK-NEXT:     %B = schedule.stage "B" at %k (%x = 224) : tensor<224xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%o * 2 + %k - 3 : 1]
// CHECK-NEXT:       schedule.range %x = %o * 2 + %k - 3 to %o * 2 + %k - 2
// CHECK-NEXT:       schedule.guard (%o * -2 - %k + 226 >= 0, %o * 2 + %k - 3 >= 0)
// CHECK:          %P = schedule.stage "P" at %k (%y = 230) : tensor<230xf32>
// CHECK-NEXT:       schedule.order %y
// CHECK-NEXT:       schedule.region [%o * 2 + %k : 1]
// CHECK-NEXT:       schedule.range %y = %o * 2 + %k to %o * 2 + %k + 1
