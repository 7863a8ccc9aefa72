// RUN: teloom-opt %s --split-input-file -p infer-bounds | filecheck %s

// Two padded convolutions of 3 x 3: each padded stage is 58 x 58. What the second reads of the
// first's padding is not computed as pixels, so that nothing grows.
te.func @root(%A: tensor<56x56xf32>, %W: tensor<3x3xf32>) -> (tensor<56x56xf32>) {
  %P = schedule.stage "P" (%py = 58, %px = 58) : tensor<58x58xf32> {
    schedule.order %py, %px
    schedule.equation (%py_1, %px_1) {
      %lo = arith.constant 1 : index
      %hi = arith.constant 57 : index
      %a0 = arith.cmpi sge, %py_1, %lo : index
      %a1 = arith.cmpi slt, %py_1, %hi : index
      %a2 = arith.cmpi sge, %px_1, %lo : index
      %a3 = arith.cmpi slt, %px_1, %hi : index
      %in0 = arith.andi %a0, %a1 : i1
      %in1 = arith.andi %a2, %a3 : i1
      %in = arith.andi %in0, %in1 : i1
      %v = scf.if %in -> (f32) {
        %e = te.read %A[%py_1 - 1, %px_1 - 1] : f32
        scf.yield %e : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      te.yield %v : f32
    }
  }
  %C = schedule.stage "C" (%cy = 56, %cx = 56) reduce (%p = 3, %q = 3) : tensor<56x56xf32> {
    schedule.order %cy, %cx, %p, %q
    schedule.equation (%cy_1, %cx_1, %p_1, %q_1) {
      %a = te.read %P[%cy_1 + %p_1, %cx_1 + %q_1] : f32
      %w = te.read %W[%p_1, %q_1] : f32
      %m = arith.mulf %a, %w : f32
      te.yield %m : f32
    } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %u, %v : f32
      te.yield %s : f32
    }
  }
  %Q = schedule.stage "Q" (%qy = 58, %qx = 58) : tensor<58x58xf32> {
    schedule.order %qy, %qx
    schedule.equation (%qy_1, %qx_1) {
      %lo = arith.constant 1 : index
      %hi = arith.constant 57 : index
      %a0 = arith.cmpi sge, %qy_1, %lo : index
      %a1 = arith.cmpi slt, %qy_1, %hi : index
      %a2 = arith.cmpi sge, %qx_1, %lo : index
      %a3 = arith.cmpi slt, %qx_1, %hi : index
      %in0 = arith.andi %a0, %a1 : i1
      %in1 = arith.andi %a2, %a3 : i1
      %in = arith.andi %in0, %in1 : i1
      %v = scf.if %in -> (f32) {
        %e = te.read %C[%qy_1 - 1, %qx_1 - 1] : f32
        scf.yield %e : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      te.yield %v : f32
    }
  }
  %D = schedule.stage "D" (%dy = 56, %dx = 56) reduce (%r = 3, %t = 3) : tensor<56x56xf32> {
    schedule.order %dy, %dx, %r, %t
    schedule.equation (%dy_1, %dx_1, %r_1, %t_1) {
      %a = te.read %Q[%dy_1 + %r_1, %dx_1 + %t_1] : f32
      %w = te.read %W[%r_1, %t_1] : f32
      %m = arith.mulf %a, %w : f32
      te.yield %m : f32
    } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %u, %v : f32
      te.yield %s : f32
    }
  }
  te.return %D : tensor<56x56xf32>
}

// CHECK-LABEL: te.func @root
// CHECK-NEXT:   %P = schedule.stage "P" (%py = 58, %px = 58) : tensor<58x58xf32>
// CHECK-NEXT:     schedule.order %py, %px
// CHECK-NEXT:     schedule.region [0 : 58, 0 : 58]
// CHECK-NEXT:     schedule.range %py = 0 to 58
// CHECK-NEXT:     schedule.range %px = 0 to 58
// CHECK:        %C = schedule.stage "C" (%cy = 56, %cx = 56) reduce (%p = 3, %q = 3) : tensor<56x56xf32>
// CHECK-NEXT:     schedule.order %cy, %cx, %p, %q
// CHECK-NEXT:     schedule.region [0 : 56, 0 : 56]
// CHECK-NEXT:     schedule.range %cy = 0 to 56
// CHECK-NEXT:     schedule.range %cx = 0 to 56
// CHECK-NEXT:     schedule.range %p = 0 to 3
// CHECK-NEXT:     schedule.range %q = 0 to 3
// CHECK:        %Q = schedule.stage "Q" (%qy = 58, %qx = 58) : tensor<58x58xf32>
// CHECK-NEXT:     schedule.order %qy, %qx
// CHECK-NEXT:     schedule.region [0 : 58, 0 : 58]
// CHECK-NEXT:     schedule.range %qy = 0 to 58
// CHECK-NEXT:     schedule.range %qx = 0 to 58
// CHECK:        %D = schedule.stage "D" (%dy = 56, %dx = 56) reduce (%r = 3, %t = 3) : tensor<56x56xf32>
// CHECK-NEXT:     schedule.order %dy, %dx, %r, %t
// CHECK-NEXT:     schedule.region [0 : 56, 0 : 56]
// CHECK-NEXT:     schedule.range %dy = 0 to 56
// CHECK-NEXT:     schedule.range %dx = 0 to 56
// CHECK-NEXT:     schedule.range %r = 0 to 3
// CHECK-NEXT:     schedule.range %t = 0 to 3

// -----

// With both paddings inlined C is 56 x 56 all the same.
te.func @inlined(%A: tensor<56x56xf32>, %W: tensor<3x3xf32>) -> (tensor<56x56xf32>) {
  %C = schedule.stage "C" (%cy = 56, %cx = 56) reduce (%p = 3, %q = 3) : tensor<56x56xf32> {
    schedule.order %cy, %cx, %p, %q
    schedule.equation (%cy_1, %cx_1, %p_1, %q_1) {
      %0 = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%cy_1, %p_1)
      %1 = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%cx_1, %q_1)
      %lo = arith.constant 1 : index
      %hi = arith.constant 57 : index
      %a0 = arith.cmpi sge, %0, %lo : index
      %a1 = arith.cmpi slt, %0, %hi : index
      %a2 = arith.cmpi sge, %1, %lo : index
      %a3 = arith.cmpi slt, %1, %hi : index
      %in0 = arith.andi %a0, %a1 : i1
      %in1 = arith.andi %a2, %a3 : i1
      %in = arith.andi %in0, %in1 : i1
      %v = scf.if %in -> (f32) {
        %e = te.read %A[%cy_1 + %p_1 - 1, %cx_1 + %q_1 - 1] : f32
        scf.yield %e : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      %w = te.read %W[%p_1, %q_1] : f32
      %m = arith.mulf %v, %w : f32
      te.yield %m : f32
    } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %u, %v : f32
      te.yield %s : f32
    }
  }
  %D = schedule.stage "D" (%dy = 56, %dx = 56) reduce (%r = 3, %t = 3) : tensor<56x56xf32> {
    schedule.order %dy, %dx, %r, %t
    schedule.equation (%dy_1, %dx_1, %r_1, %t_1) {
      %2 = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%dy_1, %r_1)
      %3 = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%dx_1, %t_1)
      %lo = arith.constant 1 : index
      %hi = arith.constant 57 : index
      %a0 = arith.cmpi sge, %2, %lo : index
      %a1 = arith.cmpi slt, %2, %hi : index
      %a2 = arith.cmpi sge, %3, %lo : index
      %a3 = arith.cmpi slt, %3, %hi : index
      %in0 = arith.andi %a0, %a1 : i1
      %in1 = arith.andi %a2, %a3 : i1
      %in = arith.andi %in0, %in1 : i1
      %v = scf.if %in -> (f32) {
        %e = te.read %C[%dy_1 + %r_1 - 1, %dx_1 + %t_1 - 1] : f32
        scf.yield %e : f32
      } else {
        %zero = arith.constant 0.000000e+00 : f32
        scf.yield %zero : f32
      }
      %w = te.read %W[%r_1, %t_1] : f32
      %m = arith.mulf %v, %w : f32
      te.yield %m : f32
    } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %u, %v : f32
      te.yield %s : f32
    }
  }
  te.return %D : tensor<56x56xf32>
}

// CHECK-LABEL: te.func @inlined
// CHECK-NEXT:   %C = schedule.stage "C" (%cy = 56, %cx = 56) reduce (%p = 3, %q = 3) : tensor<56x56xf32>
// CHECK-NEXT:     schedule.order %cy, %cx, %p, %q
// CHECK-NEXT:     schedule.region [0 : 56, 0 : 56]
// CHECK-NEXT:     schedule.range %cy = 0 to 56
// CHECK-NEXT:     schedule.range %cx = 0 to 56
// CHECK-NEXT:     schedule.range %p = 0 to 3
// CHECK-NEXT:     schedule.range %q = 0 to 3
// CHECK:        %D = schedule.stage "D" (%dy = 56, %dx = 56) reduce (%r = 3, %t = 3) : tensor<56x56xf32>
// CHECK-NEXT:     schedule.order %dy, %dx, %r, %t
// CHECK-NEXT:     schedule.region [0 : 56, 0 : 56]
// CHECK-NEXT:     schedule.range %dy = 0 to 56
// CHECK-NEXT:     schedule.range %dx = 0 to 56
// CHECK-NEXT:     schedule.range %r = 0 to 3
// CHECK-NEXT:     schedule.range %t = 0 to 3

// -----

// All at a tile of 8 x 14: 10 x 16 of the second padded stage and of the first convolution, 12 x 18
// of the first padded stage; at the border each ends with its tensor.
te.func @attached(%A: tensor<56x56xf32>, %W: tensor<3x3xf32>) -> (tensor<56x56xf32>) {
  %D = schedule.stage "D" (%dy = 56, %dx = 56) reduce (%r = 3, %t = 3) : tensor<56x56xf32> {
    %yo, %yi = schedule.split %dy factor 8
    %xo, %xi = schedule.split %dx factor 14
    schedule.order %yo, %xo, %yi, %xi, %r, %t
    %P = schedule.stage "P" at %xo (%py = 58, %px = 58) : tensor<58x58xf32> {
      schedule.order %py, %px
      schedule.equation (%py_1, %px_1) {
        %lo = arith.constant 1 : index
        %hi = arith.constant 57 : index
        %a0 = arith.cmpi sge, %py_1, %lo : index
        %a1 = arith.cmpi slt, %py_1, %hi : index
        %a2 = arith.cmpi sge, %px_1, %lo : index
        %a3 = arith.cmpi slt, %px_1, %hi : index
        %in0 = arith.andi %a0, %a1 : i1
        %in1 = arith.andi %a2, %a3 : i1
        %in = arith.andi %in0, %in1 : i1
        %v = scf.if %in -> (f32) {
          %e = te.read %A[%py_1 - 1, %px_1 - 1] : f32
          scf.yield %e : f32
        } else {
          %zero = arith.constant 0.000000e+00 : f32
          scf.yield %zero : f32
        }
        te.yield %v : f32
      }
    }
    %C = schedule.stage "C" at %xo (%cy = 56, %cx = 56) reduce (%p = 3, %q = 3) : tensor<56x56xf32> {
      schedule.order %cy, %cx, %p, %q
      schedule.equation (%cy_1, %cx_1, %p_1, %q_1) {
        %a = te.read %P[%cy_1 + %p_1, %cx_1 + %q_1] : f32
        %w = te.read %W[%p_1, %q_1] : f32
        %m = arith.mulf %a, %w : f32
        te.yield %m : f32
      } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
        %s = arith.addf %u, %v : f32
        te.yield %s : f32
      }
    }
    %Q = schedule.stage "Q" at %xo (%qy = 58, %qx = 58) : tensor<58x58xf32> {
      schedule.order %qy, %qx
      schedule.equation (%qy_1, %qx_1) {
        %lo = arith.constant 1 : index
        %hi = arith.constant 57 : index
        %a0 = arith.cmpi sge, %qy_1, %lo : index
        %a1 = arith.cmpi slt, %qy_1, %hi : index
        %a2 = arith.cmpi sge, %qx_1, %lo : index
        %a3 = arith.cmpi slt, %qx_1, %hi : index
        %in0 = arith.andi %a0, %a1 : i1
        %in1 = arith.andi %a2, %a3 : i1
        %in = arith.andi %in0, %in1 : i1
        %v = scf.if %in -> (f32) {
          %e = te.read %C[%qy_1 - 1, %qx_1 - 1] : f32
          scf.yield %e : f32
        } else {
          %zero = arith.constant 0.000000e+00 : f32
          scf.yield %zero : f32
        }
        te.yield %v : f32
      }
    }
    schedule.equation (%dy_1, %dx_1, %r_1, %t_1) {
      %a = te.read %Q[%dy_1 + %r_1, %dx_1 + %t_1] : f32
      %w = te.read %W[%r_1, %t_1] : f32
      %m = arith.mulf %a, %w : f32
      te.yield %m : f32
    } combine (%u: f32, %v: f32) identity [0.000000e+00 : f32] {
      %s = arith.addf %u, %v : f32
      te.yield %s : f32
    }
  }
  te.return %D : tensor<56x56xf32>
}

// CHECK-LABEL: te.func @attached
// CHECK-NEXT:   %D = schedule.stage "D" (%dy = 56, %dx = 56) reduce (%r = 3, %t = 3) : tensor<56x56xf32>
// CHECK-NEXT:     %yo, %yi = schedule.split %dy factor 8
// CHECK-NEXT:     %xo, %xi = schedule.split %dx factor 14
// CHECK-NEXT:     schedule.order %yo, %xo, %yi, %xi, %r, %t
// CHECK-NEXT:     schedule.region [0 : 56, 0 : 56]
// CHECK-NEXT:     schedule.range %yo = 0 to 7
// CHECK-NEXT:     schedule.range %xo = 0 to 4
// CHECK-NEXT:     schedule.range %yi = 0 to 8
// CHECK-NEXT:     schedule.range %xi = 0 to 14
// CHECK-NEXT:     schedule.range %r = 0 to 3
// CHECK-NEXT:     schedule.range %t = 0 to 3
// CHECK-NEXT:     schedule.range %dy = 0 to 56
// CHECK-NEXT:     schedule.range %dx = 0 to 56
// CHECK-NEXT:     schedule.value %dx = %xo * 14 + %xi
// CHECK-NEXT:     schedule.value %dy = %yo * 8 + %yi
// CHECK-NEXT:     %P = schedule.stage "P" at %xo (%py = 58, %px = 58) : tensor<58x58xf32>
// CHECK-NEXT:       schedule.order %py, %px
// CHECK-NEXT:       schedule.region [%yo * 8 - 1 : 12, %xo * 14 - 1 : 18]
// CHECK-NEXT:       schedule.range %py = max(0, %yo * 8 - 1) to min(58, %yo * 8 + 11)
// CHECK-NEXT:       schedule.range %px = max(0, %xo * 14 - 1) to min(58, %xo * 14 + 17)
// CHECK:          %C = schedule.stage "C" at %xo (%cy = 56, %cx = 56) reduce (%p = 3, %q = 3) : tensor<56x56xf32>
// CHECK-NEXT:       schedule.order %cy, %cx, %p, %q
// CHECK-NEXT:       schedule.region [%yo * 8 - 1 : 10, %xo * 14 - 1 : 16]
// CHECK-NEXT:       schedule.range %cy = max(0, %yo * 8 - 1) to min(56, %yo * 8 + 9)
// CHECK-NEXT:       schedule.range %cx = max(0, %xo * 14 - 1) to min(56, %xo * 14 + 15)
// CHECK-NEXT:       schedule.range %p = 0 to 3
// CHECK-NEXT:       schedule.range %q = 0 to 3
// CHECK:          %Q = schedule.stage "Q" at %xo (%qy = 58, %qx = 58) : tensor<58x58xf32>
// CHECK-NEXT:       schedule.order %qy, %qx
// CHECK-NEXT:       schedule.region [%yo * 8 : 10, %xo * 14 : 16]
// CHECK-NEXT:       schedule.range %qy = %yo * 8 to %yo * 8 + 10
// CHECK-NEXT:       schedule.range %qx = %xo * 14 to %xo * 14 + 16
