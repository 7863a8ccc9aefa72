"""Pairs that were run wrongly when they were generated, cut down."""

import pytest
from soak.attach import Attached
from soak.bounds import check_loops

from teloom.passes.infer_bounds import InferBoundsPass

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


@pytest.mark.filterwarnings("ignore::teloom.errors.Remark")
@pytest.mark.parametrize(
    ("text", "inference"),
    [
        (LOST_BY_LEXMIN, InferBoundsPass(mode="hull")),
        (UNBOUNDED, InferBoundsPass(mode="box")),
    ],
    ids=["lexmin", "unbounded"],
)
def test_runs_right(text: str, inference: InferBoundsPass):
    check_loops(Attached(text, inference))
