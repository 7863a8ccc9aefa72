"""The commands on reductions: where a fold starts, what it is made of, and what follows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.numbers import NUMBER, NumberAttr
from teloom.dialects.schedule.relations import AXIS, STAGE, CommandOp, axis_name
from teloom.dialects.schedule.stages.parent_stage import OpInStage


@irdl_op_definition
class RfactorOp(CommandOp):
    """Makes a reduce axis a data axis of a new stage of partial results, and folds these along it.

    The new stage, named `C.rf`, takes the equation, with C's other reduce axes. C folds it along a
    reduce axis in the place of the one that is factored, `ki.v` of `ki`. It keeps its place, its
    data axes and all that is said of them; handles of its other reduce axes go to the new stage.

    ```mlir
    schedule.sequence @partial on @f {
      %C = schedule.get "C"
      %i, %k = schedule.axes 2 of %C
      %ko, %ki = schedule.split %k factor 4
      %CF, %kv = schedule.rfactor %C, %ki at 0
      %kf, %p, %kr = schedule.axes 3 of %CF
      schedule.vectorize %kf
    }
    ```

    Shape: a stage, a reduce leaf of it, and the position of its data axis among those of the new
    stage; a handle of that stage, and the reduce axis.
    Refused: a negative position; by `apply-schedule`, an axis that is no reduce axis, or that
    relations join with a data axis, a stage with others computed inside it, an extern.
    Like: `Schedule.rfactor` of TVM, `Func::rfactor` of Halide; Suriana, Adams, Kamil, "Parallel
    associative reductions in Halide", 2017.
    """

    name = "schedule.rfactor"

    stage = operand_def(STAGE)
    axis = operand_def(AXIS)
    factor_axis = prop_def(NUMBER)
    factored = result_def(STAGE)
    v = result_def(AXIS)

    assembly_format = "$stage `,` $axis `at` $factor_axis attr-dict"

    def __init__(self, stage: SSAValue, axis: SSAValue, factor_axis: int = 0):
        super().__init__(
            operands=[stage, axis],
            properties={"factor_axis": NumberAttr.of(factor_axis)},
            result_types=[STAGE, AXIS],
        )

    @property
    def consumed(self) -> Sequence[SSAValue]:
        return (self.axis,)

    def verify_(self) -> None:
        super().verify_()
        if self.factor_axis.value.data < 0:
            raise VerifyException(
                f"rfactor of axis {axis_name(self.axis)} at {self.factor_axis.value.data}: a "
                "position is not negative"
            )


@irdl_op_definition
class DecomposeReductionOp(CommandOp):
    """Runs the init part of a reduction in front of the loop of an axis, as a nest of its own.

    ```mlir
    schedule.sequence @start on @f {
      %C = schedule.get "C"
      %i, %j, %k = schedule.axes 3 of %C
      schedule.reorder %i, %k, %j
      schedule.decompose_reduction %i
    }
    ```

    Shape: a leaf axis in whose loop all reduce axes are, or the first reduce axis, which it is
    without the command.
    Refused: by `apply-schedule`, an axis inside of the first reduce axis, or of no reduction.
    Like: `decompose_reduction` of TVM's `tir.Schedule`.
    """

    name = "schedule.decompose_reduction"

    axis = operand_def(AXIS)

    assembly_format = "$axis attr-dict"

    def __init__(self, axis: SSAValue):
        super().__init__(operands=[axis])


@irdl_op_definition
class DecomposedOp(OpInStage):
    """The axis in front of whose loop the init part of a reduction runs, in a stage.

    ```mlir
    te.func @row_sum(%A: tensor<4x8xf32>) -> (tensor<4xf32>) {
      %S = schedule.stage "S" (%i = 4) reduce (%k = 8) : tensor<4xf32> {
        schedule.decomposed %i
        schedule.order %i, %k
        schedule.equation (%p, %q) {
          %a = te.read %A[%p, %q] : f32
          te.yield %a : f32
        } combine (%x: f32, %y: f32) identity [0.0 : f32] {
          %s = arith.addf %x, %y : f32
          te.yield %s : f32
        }
      }
      te.return %S : tensor<4xf32>
    }
    ```

    Shape: a data axis; of one that relations consume, the outermost loop that is made of it counts.
    Refused: a stage without reduce axes.
    Like: the init block of TVM's `tir.Schedule`.
    """

    name = "schedule.decomposed"

    COMMAND: ClassVar = "decompose_reduction"

    axis = operand_def(AXIS)

    assembly_format = "$axis attr-dict"

    def __init__(self, axis: SSAValue):
        super().__init__(operands=[axis])

    def verify_(self) -> None:
        stage = self.stage
        if stage.data_axis_count == len(stage.root_axes):
            name = stage.stage_name.data
            raise VerifyException(f'stage "{name}" has no reduce axes, so no fold starts in it')


@irdl_op_definition
class FuseReductionEpilogueOp(CommandOp):
    """Makes what combines the elements of a reduction with others the start of the fold.

    The epilogue D combines each element of the reduction C, by C's combiner, with a value that
    does not depend on C: as `C[i, j] + bias[j]` does for a sum. Then C folds from that value, and
    its elements are those of D, at D's place and in D's storage. D is gone.

    ```mlir
    schedule.sequence @biased on @f {
      %C = schedule.get "C"
      %D = schedule.get "D"
      schedule.fuse_reduction_epilogue %C, %D
    }
    ```

    Shape: a reduction and a stage of its shape, each with one result.
    Refused: by `apply-schedule`, an epilogue that says anything else, others that read C, commands
    on the axes of D.
    Like: `fuse_reduction_epilogue` of TVM's `tir.Schedule`.
    """

    name = "schedule.fuse_reduction_epilogue"

    stage = operand_def(STAGE)
    epilogue = operand_def(STAGE)

    assembly_format = "$stage `,` $epilogue attr-dict"

    def __init__(self, stage: SSAValue, epilogue: SSAValue):
        super().__init__(operands=[stage, epilogue])
