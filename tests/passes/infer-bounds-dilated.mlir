// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// Three taps, two apart, of a padded stage: a tile of 16 needs 20 elements, the border excepted.
te.func @at_tile(%A: tensor<64xf32>, %W: tensor<3xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%o = 64) reduce (%k = 3) : tensor<64xf32> {
    %oo, %oi = schedule.split %o factor 16
    schedule.order %oo, %oi, %k
    %B = schedule.stage "B" at %oo (%x = 64) : tensor<64xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%o_1, %k_1) {
      %at = affine.apply affine_map<(d0, d1) -> (((d0 + (d1 * 2)) + -2))> (%o_1, %k_1)
      %zero_index = arith.constant 0 : index
      %a0 = arith.cmpi sge, %at, %zero_index : index
      %limit = arith.constant 64 : index
      %a1 = arith.cmpi slt, %at, %limit : index
      %in = arith.andi %a0, %a1 : i1
      %v = scf.if %in -> (f32) {
        %e = te.read %B[%o_1 + %k_1 * 2 - 2] : f32
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
  te.return %C : tensor<64xf32>
}

// CHECK-LABEL: te.func @at_tile
// CHECK-NEXT:   %C = schedule.stage "C" (%o = 64) reduce (%k = 3) : tensor<64xf32>
// CHECK-NEXT:     %oo, %oi = schedule.split %o factor 16
// CHECK-NEXT:     schedule.order %oo, %oi, %k
// CHECK-NEXT:     schedule.region [0 : 64]
// CHECK-NEXT:     schedule.range %oo = 0 to 4
// CHECK-NEXT:     schedule.range %oi = 0 to 16
// CHECK-NEXT:     schedule.range %k = 0 to 3
// CHECK-NEXT:     schedule.range %o = 0 to 64
// CHECK-NEXT:     schedule.value %o = %oo * 16 + %oi
// CHECK-NEXT:     %B = schedule.stage "B" at %oo (%x = 64) : tensor<64xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%oo * 16 - 2 : 20]
// CHECK-NEXT:       schedule.range %x = max(0, %oo * 16 - 2) to min(64, %oo * 16 + 18)

// -----

// The same of n elements: 20 stored, up to the tensor's end computed.
te.func @symbolic(%n: index, %A: tensor<?xf32>[%n], %W: tensor<3xf32>) -> (tensor<?xf32>) {
  %C = schedule.stage "C" (%o = %n) reduce (%k = 3) : tensor<?xf32> {
    %oo, %oi = schedule.split %o factor 16
    schedule.order %oo, %oi, %k
    %B = schedule.stage "B" at %oo (%x = %n) : tensor<?xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%o_1, %k_1) {
      %at = affine.apply affine_map<(d0, d1) -> (((d0 + (d1 * 2)) + -2))> (%o_1, %k_1)
      %zero_index = arith.constant 0 : index
      %a0 = arith.cmpi sge, %at, %zero_index : index
      %a1 = arith.cmpi slt, %at, %n : index
      %in = arith.andi %a0, %a1 : i1
      %v = scf.if %in -> (f32) {
        %e = te.read %B[%o_1 + %k_1 * 2 - 2] : f32
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
  te.return %C : tensor<?xf32>
}

// CHECK-LABEL: te.func @symbolic
// CHECK-NEXT:   %C = schedule.stage "C" (%o = %n) reduce (%k = 3) : tensor<?xf32>
// CHECK-NEXT:     %oo, %oi = schedule.split %o factor 16
// CHECK-NEXT:     schedule.order %oo, %oi, %k
// CHECK-NEXT:     schedule.region [0 : %n]
// CHECK-NEXT:     schedule.range %oo = 0 to %n ceildiv 16
// CHECK-NEXT:     schedule.range %oi = 0 to min(16, %n - %oo * 16)
// CHECK-NEXT:     schedule.range %k = 0 to 3
// CHECK-NEXT:     schedule.range %o = 0 to %n
// CHECK-NEXT:     schedule.value %o = %oo * 16 + %oi
// CHECK-NEXT:     %B = schedule.stage "B" at %oo (%x = %n) : tensor<?xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%oo * 16 - 2 : 20]
// CHECK-NEXT:       schedule.range %x = max(0, %oo * 16 - 2) to min(%oo * 16 + 18, %n)
// CHECK-NEXT:       schedule.guard (%n - %x - 3 >= 0) or (%x - %oo * 16 >= 0)

// -----

// At a point three elements, those between them not.
te.func @at_point(%A: tensor<64xf32>, %W: tensor<3xf32>) -> (tensor<64xf32>) {
  %C = schedule.stage "C" (%o = 64) reduce (%k = 3) : tensor<64xf32> {
    schedule.order %o, %k
    %B = schedule.stage "B" at %o (%x = 64) : tensor<64xf32> {
      schedule.order %x
      schedule.equation (%x_1) {
        %r0 = te.read %A[%x_1] : f32
        te.yield %r0 : f32
      }
    }
    schedule.equation (%o_1, %k_1) {
      %at = affine.apply affine_map<(d0, d1) -> (((d0 + (d1 * 2)) + -2))> (%o_1, %k_1)
      %zero_index = arith.constant 0 : index
      %a0 = arith.cmpi sge, %at, %zero_index : index
      %limit = arith.constant 64 : index
      %a1 = arith.cmpi slt, %at, %limit : index
      %in = arith.andi %a0, %a1 : i1
      %v = scf.if %in -> (f32) {
        %e = te.read %B[%o_1 + %k_1 * 2 - 2] : f32
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
  te.return %C : tensor<64xf32>
}

// CHECK-LABEL: te.func @at_point
// CHECK-NEXT:   %C = schedule.stage "C" (%o = 64) reduce (%k = 3) : tensor<64xf32>
// CHECK-NEXT:     schedule.order %o, %k
// CHECK-NEXT:     schedule.region [0 : 64]
// CHECK-NEXT:     schedule.range %o = 0 to 64
// CHECK-NEXT:     schedule.range %k = 0 to 3
// CHECK-NEXT:     %B = schedule.stage "B" at %o (%x = 64) : tensor<64xf32>
// CHECK-NEXT:       schedule.order %x
// CHECK-NEXT:       schedule.region [%o - 2 : 5]
// CHECK-NEXT:       schedule.range %x = max(0, %o - 2) to min(64, %o + 3)
// CHECK-NEXT:       schedule.guard ((%o + %x) mod 2 == 0)
