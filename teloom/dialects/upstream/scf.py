"""`scf` as upstream verifies it."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation
from xdsl.traits import OpTrait

from teloom.dialects.upstream.affine import check_step


class ConstantStepsForward(OpTrait):
    """The steps of a loop are positive, as far as they are constants."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, scf.ForOp | scf.ParallelOp)
        for step in [op.step] if isinstance(op, scf.ForOp) else op.step:
            if isinstance(step.owner, arith.ConstantOp):
                assert isinstance(step.owner.value, IntegerAttr)
                check_step(step.owner.value)


for loop in (scf.ForOp, scf.ParallelOp):
    loop.traits.add_trait(ConstantStepsForward())
