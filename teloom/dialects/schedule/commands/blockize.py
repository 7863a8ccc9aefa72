"""The command that makes one block of the inner loops of a stage."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def

from teloom.dialects.schedule.relations import AXIS, CommandOp


@irdl_op_definition
class BlockizeOp(CommandOp):
    """Makes one block of the loop of an axis and of all those inside it.

    The stage becomes an extern with axes: the loops outside are its root axes, and at each point
    of them the block fills its elements, always as a whole. So commands work on blocks as they
    work on points of an equation, and what is computed of the stage at a place are blocks.

    ```mlir
    schedule.sequence @blocks on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 8
      schedule.blockize %ii
      %ib, %jb = schedule.axes 2 of %C
      schedule.parallel %ib
    }
    ```

    Shape: the root axes are then those of the loops outside, data axes first, each in their order;
    handles of these loops are handles of the axes.
    Refused: by `apply-schedule`, an axis that is no leaf; a block that is not whole everywhere,
    with a point of it that is not there; an extern, a scan, a reduction with an init; a stage that
    is computed inside of the block, or something prefetched; a vectorized loop around, or a
    parallel reduce axis; reads whose subscripts are no sums of multiples of axes.
    Like: `blockize` of TVM's TensorIR.
    """

    name = "schedule.blockize"

    var = operand_def(AXIS)

    assembly_format = "$var attr-dict"

    def __init__(self, var: SSAValue):
        super().__init__(operands=[var])

    @property
    def consumed(self) -> Sequence[SSAValue]:
        return [self.var]
