"""Pairs that were run wrongly when they were generated, cut down."""

import pytest
from soak.attach import Attached
from soak.bounds import check_loops

from teloom.passes.loops.infer_bounds import InferBoundsPass

LOST_BY_LEXMIN = """
te.func @f(%A: tensor<2x2xi64>) -> (tensor<3x2xi64>) {
  %C = te.compute "C" (%c0 = 2, %c1 = 2) : tensor<2x2xi64> {
    %a = te.read %A[%c0, %c1] : i64
    te.yield %a : i64
  }
  %P = te.compute "P" (%p0 = 5, %p1 = 3) : tensor<5x3xi64> {
    %c = te.read %C[(%p1 + 2) floordiv 3, %p1 floordiv 2] : i64
    te.yield %c : i64
  }
  %D = te.compute "D" (%d0 = 5, %d1 = 3) : tensor<5x3xi64> {
    %p = te.read %P[%d0, %d1] : i64
    te.yield %p : i64
  }
  %S = te.compute "S" (%s0 = 5, %s1 = 3) : tensor<5x3xi64> {
    %d = te.read %D[%s0, %s1] : i64
    te.yield %d : i64
  }
  %E = te.compute "E" (%e0 = 3, %e1 = 2) : tensor<3x2xi64> {
    %r0 = te.read %S[%e0, %e0] : i64
    %at = affine.apply affine_map<(d0) -> (d0 + d0)> (%e0)
    %limit = arith.constant 3 : index
    %is = arith.cmpi slt, %at, %limit : index
    %r1 = scf.if %is -> (i64) {
      %s = te.read %S[%e0 + %e0, %e0 floordiv 2] : i64
      scf.yield %s : i64
    } else {
      %pad = arith.constant 5 : i64
      scf.yield %pad : i64
    }
    %sum = arith.addi %r0, %r1 : i64
    te.yield %sum : i64
  }
  te.return %E : tensor<3x2xi64>
}
schedule.sequence @s on @f {
  %E = schedule.get "E"
  %e0, %e1 = schedule.axes 2 of %E
  %fused = schedule.fuse %e0, %e1
  %S = schedule.get "S"
  schedule.compute_at %S, %E, %fused
  %D = schedule.get "D"
  %d0, %d1 = schedule.axes 2 of %D
  %outer, %inner = schedule.split %d0 factor 2
  %row = schedule.fuse %inner, %d1
  schedule.reorder %row, %outer
  schedule.compute_at %D, %E, %fused
  schedule.rolling_buffer %D
  %P = schedule.get "P"
  schedule.compute_at %P, %D, %row
  %C = schedule.get "C"
  schedule.compute_at %C, %E, %fused
  schedule.rolling_buffer %C
}
"""

UNBOUNDED = """
te.func @f(%n: index, %A: tensor<?x?xi64>[%n, %n]) -> (tensor<2x?xi64>) {
  %B = te.compute "B" (%b0 = %n, %b1 = %n) : tensor<?x?xi64> {
    %r0 = te.read %A[%b0, %b1] : i64
    te.yield %r0 : i64
  }
  %C = te.compute "C" (%c0 = %n, %c1 = %n) : tensor<?x?xi64> {
    %r0 = te.read %B[%c1, %c0] : i64
    te.yield %r0 : i64
  }
  %D = te.compute "D" (%d0 = %n, %d1 = %n) : tensor<?x?xi64> {
    %r0 = te.read %C[%d0, %d1 * -1 + %n + -1] : i64
    te.yield %r0 : i64
  }
  %E = te.compute "E" (%e0 = 2, %e1 = %n) : tensor<2x?xi64> {
    %r0 = te.read %D[%e1, %e1] : i64
    te.yield %r0 : i64
  }
  te.return %E : tensor<2x?xi64>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %B = schedule.get "B"
  %c_0, %c_1 = schedule.axes 2 of %C
  %o, %i = schedule.split %c_0 factor 1
  %o2, %i2 = schedule.split %c_1 factor 1
  %f = schedule.fuse %i, %o2
  %g = schedule.fuse %o, %f
  schedule.compute_at %B, %C, %g
  schedule.store_root %B
  %b_0, %b_1 = schedule.axes 2 of %B
  schedule.fold_storage %b_0
}
"""

NO_KNOWN_END = """
te.func @f(%n: index, %A: tensor<?x?xi64>[%n * 9 + 19, %n * 3 + 7]) -> (tensor<1x?xi64>) {
  %B = te.compute "B" (%b0 = %n * 3 + 7, %b1 = 2) : tensor<?x2xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %b0 : index to i64
    %r0 = te.read %A[%b0 + %b0 * 2, %b0] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    %at1 = affine.apply affine_map<() -> (0)> ()
    %limit1 = arith.constant 3 : index
    %is1 = arith.cmpi sge, %at1, %limit1 : index
    %r1 = scf.if %is1 -> (i64) {
      %v1 = te.read %A[%b0 + %b1 * 2, 0] : i64
      scf.yield %v1 : i64
    } else {
      %pad1 = arith.constant 5 : i64
      scf.yield %pad1 : i64
    }
    %m1 = arith.muli %t1, %three : i64
    %t2 = arith.addi %m1, %r1 : i64
    te.yield %t2 : i64
  }
  %C = te.compute "C" (%c0 = %n + 5, %c1 = %n * 3 + 7) : tensor<?x?xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %c0 : index to i64
    %r0 = te.read %B[%c1, (%c0) mod 2] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    te.yield %t1 : i64
  }
  %D = te.compute "D" (%d0 = %n + 3, %d1 = 1) : tensor<?x1xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %d0 : index to i64
    %r0 = te.read %C[(%d1 + 1) floordiv 2, %d0 + 2 + %d0 * 1] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    %r1 = te.read %C[%d0 + 2, %d0 * 3 + 0] : i64
    %m1 = arith.muli %t1, %three : i64
    %t2 = arith.addi %m1, %r1 : i64
    %r2 = te.read %B[(%d0 + 1) mod 4, (%d1) floordiv 3] : i64
    %m2 = arith.muli %t2, %three : i64
    %t3 = arith.addi %m2, %r2 : i64
    te.yield %t3 : i64
  }
  %E = te.compute "E" (%e0 = 1, %e1 = %n) : tensor<1x?xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %e0 : index to i64
    %r0 = te.read %D[(%e1 + 2) floordiv 2 * 2 + (%e1 + 2) mod 2 * -1 + 1, %e0] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    %r1 = te.read %A[0, (%e0) mod 4] : i64
    %m1 = arith.muli %t1, %three : i64
    %t2 = arith.addi %m1, %r1 : i64
    te.yield %t2 : i64
  }
  te.return %E : tensor<1x?xi64>
}
schedule.sequence @s on @f {
  %E = schedule.get "E"
  %e_0, %e_1 = schedule.axes 2 of %E
  %o1, %i2 = schedule.split %e_1 factor 3
  schedule.reorder %o1, %e_0, %i2
  %f3 = schedule.fuse %o1, %e_0, %i2
  %o4, %i5 = schedule.split %f3 factor 2
  %D = schedule.get "D"
  %d_0, %d_1 = schedule.axes 2 of %D
  %o6, %i7 = schedule.split %d_0 factor 5
  %o8, %i9 = schedule.split %o6 nparts 2
  %f10 = schedule.fuse %i9, %i7
  schedule.reorder %d_1, %f10, %o8
  %C = schedule.get "C"
  %c_0, %c_1 = schedule.axes 2 of %C
  %o11, %i12 = schedule.split %c_0 nparts 1
  schedule.compute_at %C, %D, %o8
  schedule.store_at %C, %D, %o8
  schedule.fold_storage %c_0
  %B = schedule.get "B"
  %b_0, %b_1 = schedule.axes 2 of %B
  schedule.reorder %b_1, %b_0
  schedule.compute_at %B, %D, %o8
  schedule.store_at %B, %D, %f10
  schedule.fold_storage %b_0
  schedule.fold_storage %b_1
}
"""

NO_SIDES = """
te.func @f(%A: tensor<13x7xi64>[13, 7]) -> (tensor<2x4xi64>) {
  %B = te.compute "B" (%b0 = 3, %b1 = 12) reduce (%br0 = 3) : tensor<3x12xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %b0 : index to i64
    %r0 = te.read %A[(%b1) floordiv 2 * 2 + (%b1) mod 2 * -1 + 1, %br0 + %br0 * 2] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    te.yield %t1 : i64
  } combine (%x: i64, %y: i64) identity [0 : i64] {
    %s = arith.addi %x, %y : i64
    te.yield %s : i64
  }
  %C = te.compute "C" (%c0 = 4, %c1 = 2, %c2 = 6) : tensor<4x2x6xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %c0 : index to i64
    %r0 = te.read %B[(%c1) floordiv 2 * 2 + (%c1) mod 2 * -1 + 1, %c1 + %c2 * 2] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    te.yield %t1 : i64
  }
  %D = te.compute "D" (%d0 = 2, %d1 = 4) : tensor<2x4xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %d0 : index to i64
    %r0 = te.read %C[%d0 * 3, %d0 * -1 + 1,
        (%d1 + 1) floordiv 2 * 2 + (%d1 + 1) mod 2 * -1 + 1] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    te.yield %t1 : i64
  }
  te.return %D : tensor<2x4xi64>
}
schedule.sequence @s on @f {
  %D = schedule.get "D"
  %d_0, %d_1 = schedule.axes 2 of %D
  %f1 = schedule.fuse %d_0, %d_1
  %o2, %i3 = schedule.split %f1 factor 2
  %m4 = schedule.skew %i3 along %o2 factor -1
  %o5, %i6 = schedule.split %o2 factor 1
  %m7 = schedule.skew %o5 along %i6 factor 2
  %f8 = schedule.fuse %i6, %m4
  schedule.reorder %m7, %f8
  %C = schedule.get "C"
  %c_0, %c_1, %c_2 = schedule.axes 3 of %C
  %o9, %i10 = schedule.split %c_0 factor 5
  %o11, %i12 = schedule.split %i10 factor 2
  %f13 = schedule.fuse %c_1, %c_2
  %m14 = schedule.reverse %o9
  schedule.reorder %o11, %i12, %f13, %m14
  schedule.compute_at %C, %D, %f8
  schedule.rolling_buffer %C
  %B = schedule.get "B"
  %b_0, %b_1, %b_2 = schedule.axes 3 of %B
  %f15 = schedule.fuse %b_0, %b_1
  schedule.compute_at %B, %C, %o11
}
"""

NO_LIFETIMES = """
te.func @f(%A: tensor<3xi64>[3]) -> (tensor<6x5x1xi64>) {
  %B = te.compute "B" (%b0 = 6, %b1 = 3) : tensor<6x3xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %b0 : index to i64
    %r0 = te.read %A[%b1] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    te.yield %t1 : i64
  }
  %C = te.compute "C" (%c0 = 6, %c1 = 5, %c2 = 1) : tensor<6x5x1xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %c0 : index to i64
    %r0 = te.read %B[%c1 + 1, %c2 + 2] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    te.yield %t1 : i64
  }
  te.return %C : tensor<6x5x1xi64>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %CL = schedule.cache_write %C "local"
  %c_0, %c_1, %c_2 = schedule.axes 3 of %C
  %o1, %i2 = schedule.split %c_0 factor 3
  %o3, %i4 = schedule.split %c_1 factor 2
  %f5 = schedule.fuse %i2, %o3
  %f6 = schedule.fuse %f5, %i4
  schedule.reorder %f6, %c_2, %o1
  %cl_0, %cl_1, %cl_2 = schedule.axes 3 of %CL
  %o7, %i8 = schedule.split %cl_2 factor 5
  %o9, %i10 = schedule.split %cl_0 nparts 3
  schedule.compute_at %CL, %C, %f6
  schedule.rolling_buffer %CL
  %B = schedule.get "B"
  %BL = schedule.cache_write %B "local"
  %b_0, %b_1 = schedule.axes 2 of %B
  %o11, %i12 = schedule.split %b_0 factor 4
  %f13 = schedule.fuse %i12, %b_1
  %f14 = schedule.fuse %o11, %f13
  schedule.compute_at %B, %CL, %i10
  schedule.rolling_buffer %B
  %bl_0, %bl_1 = schedule.axes 2 of %BL
  schedule.compute_at %BL, %C, %f6
  schedule.rolling_buffer %BL
}
"""

NO_FIRST_ITERATION = """
te.func @f(%n: index, %A: tensor<?xi64>[%n + 1]) -> (tensor<?x?xi64>) {
  %B = te.compute "B" (%b0 = %n, %b1 = %n) : tensor<?x?xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %b0 : index to i64
    %r0 = te.read %A[%b1] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    te.yield %t1 : i64
  }
  %C = te.compute "C" (%c0 = %n + 1, %c1 = %n) : tensor<?x?xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %c0 : index to i64
    %r0 = te.read %B[%c1, %c1] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    %r1 = te.read %A[%c0] : i64
    %m1 = arith.muli %t1, %three : i64
    %t2 = arith.addi %m1, %r1 : i64
    te.yield %t2 : i64
  }
  te.return %C : tensor<?x?xi64>
}
schedule.sequence @s on @f {
  %C = schedule.get "C"
  %c_0, %c_1 = schedule.axes 2 of %C
  %o1, %i2 = schedule.split %c_1 factor 5
  %o3, %i4 = schedule.split %i2 factor 2
  %f5 = schedule.fuse %o3, %i4
  schedule.reorder %f5, %c_0, %o1
  schedule.reorder %f5, %c_0, %o1
  %f6 = schedule.fuse %c_0, %o1
  %B = schedule.get "B"
  %b_0, %b_1 = schedule.axes 2 of %B
  schedule.compute_at %B, %C, %f5
  schedule.store_root %B
}
"""

GUARD_AROUND_WINDOW = """
te.func @f(%A: tensor<4x4xi64>[4, 4]) -> (tensor<3xi64>) {
  %B = te.compute "B" (%b0 = 2, %b1 = 2) : tensor<2x2xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %b0 : index to i64
    %from0_0_ = affine.apply affine_map<(d0) -> (d0 + -1)> (%b0)
    %low0_0_ = arith.constant 0 : index
    %high0_0_ = arith.constant 1 : index
    %up0_0_ = arith.maxsi %from0_0_, %low0_0_ : index
    %c0_0_ = arith.minsi %up0_0_, %high0_0_ : index
    %r0 = te.read %A[%c0_0_, %b1] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    %from1_0_ = affine.apply affine_map<(d0) -> (d0 + -1)> (%b1)
    %low1_0_ = arith.constant 0 : index
    %high1_0_ = arith.constant 3 : index
    %up1_0_ = arith.maxsi %from1_0_, %low1_0_ : index
    %c1_0_ = arith.minsi %up1_0_, %high1_0_ : index
    %r1 = te.read %A[%c1_0_, %b1 + 2] : i64
    %m1 = arith.muli %t1, %three : i64
    %t2 = arith.addi %m1, %r1 : i64
    %r2 = te.read %A[%b0, %b1] : i64
    %m2 = arith.muli %t2, %three : i64
    %t3 = arith.addi %m2, %r2 : i64
    te.yield %t3 : i64
  }
  %C = te.compute "C" (%c0 = 4, %c1 = 4, %c2 = 2) : tensor<4x4x2xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %c0 : index to i64
    %r0 = te.read %B[(%c2 + 2) floordiv 3, (%c2 + 2) floordiv 2] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    te.yield %t1 : i64
  }
  %D = te.compute "D" (%d0 = 2, %d1 = 4) : tensor<2x4xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %d0 : index to i64
    %from0_2_ = affine.apply affine_map<(d0) -> (d0 + -1)> (%d0)
    %low0_2_ = arith.constant 0 : index
    %high0_2_ = arith.constant 1 : index
    %up0_2_ = arith.maxsi %from0_2_, %low0_2_ : index
    %c0_2_ = arith.minsi %up0_2_, %high0_2_ : index
    %r0 = te.read %C[%d0 + 2, %d1, %c0_2_] : i64
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    te.yield %t1 : i64
  }
  %E = te.compute "E" (%e0 = 3) : tensor<3xi64> {
    %three = arith.constant 3 : i64
    %t0 = arith.index_cast %e0 : index to i64
    %at0 = affine.apply affine_map<(d0) -> (d0 + 1)> (%e0)
    %limit0 = arith.constant 2 : index
    %is0 = arith.cmpi sge, %at0, %limit0 : index
    %r0 = scf.if %is0 -> (i64) {
      %v0 = te.read %D[(%e0) floordiv 2, %e0 + 1] : i64
      scf.yield %v0 : i64
    } else {
      %pad0 = arith.constant 5 : i64
      scf.yield %pad0 : i64
    }
    %m0 = arith.muli %t0, %three : i64
    %t1 = arith.addi %m0, %r0 : i64
    te.yield %t1 : i64
  }
  te.return %E : tensor<3xi64>
}
schedule.sequence @s on @f {
  %E = schedule.get "E"
  %e_0 = schedule.axes 1 of %E
  %o1, %i2 = schedule.split %e_0 nparts 2
  schedule.reorder %i2, %o1
  %D = schedule.get "D"
  %DS3 = schedule.cache_read %D "shared" readers %E
  %ds3_0, %ds3_1 = schedule.axes 2 of %DS3
  %o4, %i5 = schedule.split %ds3_1 factor 1
  schedule.compute_at %DS3, %E, %o1
  schedule.store_at %DS3, %E, %i2
  %d_0, %d_1 = schedule.axes 2 of %D
  %o6, %i7 = schedule.split %d_1 factor 2
  %f8 = schedule.fuse %o6, %i7
  schedule.reorder %f8, %d_0
  schedule.compute_at %D, %DS3, %o4
  %C = schedule.get "C"
  %c_0, %c_1, %c_2 = schedule.axes 3 of %C
  %o9, %i10 = schedule.split %c_2 factor 2
  %f11 = schedule.fuse %c_1, %o9
  %f12 = schedule.fuse %f11, %i10
  schedule.compute_at %C, %DS3, %o4
  schedule.store_at %C, %E, %i2
  schedule.fold_storage %c_0
  %B = schedule.get "B"
  %BS13 = schedule.cache_read %B "shared" readers %C
  %bs13_0, %bs13_1 = schedule.axes 2 of %BS13
  %o14, %i15 = schedule.split %bs13_0 factor 2
  %o16, %i17 = schedule.split %o14 factor 5
  %f18 = schedule.fuse %i17, %i15, %bs13_1
  schedule.reorder %o16, %f18
  %BL = schedule.cache_write %B "local"
  %b_0, %b_1 = schedule.axes 2 of %B
  %f19 = schedule.fuse %b_0, %b_1
  %o20, %i21 = schedule.split %f19 factor 2
  schedule.reorder %o20, %i21
  schedule.compute_at %B, %BS13, %o16
  %bl_0, %bl_1 = schedule.axes 2 of %BL
  schedule.compute_at %BL, %BS13, %o16
  %AS22 = schedule.cache_read argument 0 "shared" readers %BL
  %as22_0, %as22_1 = schedule.axes 2 of %AS22
  schedule.compute_at %AS22, %BL, %bl_1
  schedule.store_at %AS22, %BL, %bl_0
}
"""


@pytest.mark.filterwarnings("ignore::teloom.errors.Remark")
@pytest.mark.parametrize(
    ("text", "inference"),
    [
        (LOST_BY_LEXMIN, InferBoundsPass(mode="hull")),
        (UNBOUNDED, InferBoundsPass(mode="box")),
        (NO_KNOWN_END, InferBoundsPass(budget=300)),
        (GUARD_AROUND_WINDOW, InferBoundsPass(mode="box")),
        (NO_SIDES, InferBoundsPass(mode="hull")),
        (NO_LIFETIMES, InferBoundsPass(mode="exact")),
        (NO_FIRST_ITERATION, InferBoundsPass()),
    ],
    ids=[
        "lexmin",
        "unbounded",
        "no known end",
        "guard around window",
        "no sides",
        "no lifetimes",
        "no first iteration",
    ],
)
def test_runs_right(text: str, inference: InferBoundsPass):
    check_loops(Attached(text, inference))
