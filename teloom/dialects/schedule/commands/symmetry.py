"""The command for stages whose elements are the same where two axes change places."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.relations import AXIS, STAGE, CommandOp, axis_name


@irdl_op_definition
class SymmetrizeOp(CommandOp):
    """Computes half of a symmetric stage, whose elements the stage copies to both places.

    The new stage, named `C.triangle`, takes the equation, and handles of reduce axes. Only its
    elements with `j <= i` are read: C has them at `[i, j]` and at `[j, i]`.

    ```mlir
    te.func @f(%X: tensor<8x4xf32>) -> (tensor<8x8xf32>) {
      %C = te.compute "C" (%i = 8, %j = 8) reduce (%k = 4) : tensor<8x8xf32> {
        %x = te.read %X[%i, %k] : f32
        %y = te.read %X[%j, %k] : f32
        %p = arith.mulf %x, %y : f32
        te.yield %p : f32
      } combine (%a: f32, %b: f32) identity [0.0 : f32] {
        %s = arith.addf %a, %b : f32
        te.yield %s : f32
      }
      te.return %C : tensor<8x8xf32>
    }
    schedule.sequence @half on @f {
      %C = schedule.get "C"
      %i, %j, %k = schedule.axes 3 of %C
      %T = schedule.symmetrize %C, %i, %j
    }
    ```

    Shape: a stage and two data axes of it; a handle of the new stage.
    Refused: one axis twice; by `apply-schedule`, an equation that computes another value where the
    axes change places, axes of different bounds, a stage whose loops commands have changed.
    Like: xSYRK of BLAS, followed by a copy of the triangle to the other one.
    """

    name = "schedule.symmetrize"

    stage = operand_def(STAGE)
    row = operand_def(AXIS)
    column = operand_def(AXIS)
    triangle = result_def(STAGE)

    assembly_format = "$stage `,` $row `,` $column attr-dict"

    def __init__(self, stage: SSAValue, row: SSAValue, column: SSAValue):
        super().__init__(operands=[stage, row, column], result_types=[STAGE])

    def verify_(self) -> None:
        super().verify_()
        if self.row is self.column:
            raise VerifyException(
                f"symmetrize names axis {axis_name(self.row)} twice; it wants the two that change "
                "places"
            )
