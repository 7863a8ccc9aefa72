"""The command that computes parts of an equation in a stage of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.relations import AXIS, STAGE, CommandOp, verify_distinct


@irdl_op_definition
class PrecomputeOp(CommandOp):
    """Computes what an equation has of some of its axes alone once for each of their points.

    The new stage, named `C.pre`, has the axes as its data axes, in the order in which they are
    named. It computes the largest parts of the equation of C that depend on no other axis; C reads
    their elements. So they are not computed again at each point of the other axes. Positions,
    conditions, elements that are read as they are, and what only one branch of a choice needs,
    stay in C.

    ```mlir
    te.func @f(%A: tensor<8x4xf32>, %B: tensor<4x8xf32>) -> (tensor<8x8xf32>) {
      %C = te.compute "C" (%i = 8, %j = 8) reduce (%k = 4) : tensor<8x8xf32> {
        %a = te.read %A[%i, %k] : f32
        %x = math.exp %a : f32
        %b = te.read %B[%k, %j] : f32
        %p = arith.mulf %x, %b : f32
        te.yield %p : f32
      } combine (%a: f32, %b: f32) identity [0.0 : f32] {
        %s = arith.addf %a, %b : f32
        te.yield %s : f32
      }
      te.return %C : tensor<8x8xf32>
    }
    schedule.sequence @once on @f {
      %C = schedule.get "C"
      %i, %j, %k = schedule.axes 3 of %C
      %E = schedule.precompute %C, %i, %k
      %row, %term = schedule.axes 2 of %E
      schedule.vectorize %term
    }
    ```

    Shape: a stage and root axes of it; a handle of the new stage.
    Refused: no axis, one axis twice; by `apply-schedule`, a stage without an equation, an axis with
    bounds of other axes or from data, and axes of which the equation computes nothing alone.
    Like: loop-invariant code motion, and scalar expansion of what it moves.
    """

    name = "schedule.precompute"
    KEEPS_LOOPS: ClassVar[bool] = True

    stage = operand_def(STAGE)
    axes = var_operand_def(AXIS)
    parts = result_def(STAGE)

    assembly_format = "$stage `,` $axes attr-dict"

    def __init__(self, stage: SSAValue, axes: Sequence[SSAValue]):
        super().__init__(operands=[stage, axes], result_types=[STAGE])

    def verify_(self) -> None:
        super().verify_()
        if not self.axes:
            raise VerifyException("precompute needs at least one axis")
        verify_distinct(self.axes, "precompute", "axis")
