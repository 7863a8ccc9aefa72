"""The command that computes a stage a second time, for some of its readers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.relations import STAGE, CommandOp, verify_distinct


@irdl_op_definition
class CloneInOp(CommandOp):
    """Gives some readers of a stage a second computation of it, in a stage of its own.

    The new stage, named `B.clone`, has the definition of B as it is then, and the default
    schedule. The readers named read it, all others stay with B.

    ```mlir
    schedule.sequence @twice on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %B2 = schedule.clone_in %B readers %C
      schedule.compute_inline %B2
    }
    ```

    Shape: one stage, with all its results, and at least one reader; a handle of the new stage.
    Refused: no reader, the same reader twice; by `apply-schedule`, a reader that does not read the
    stage, and a scan.
    Like: `Func::clone_in` of Halide.
    """

    name = "schedule.clone_in"

    stage = operand_def(STAGE)
    readers = var_operand_def(STAGE)
    clone_ = result_def(STAGE)

    assembly_format = "$stage `readers` $readers attr-dict"

    def __init__(self, stage: SSAValue, readers: Sequence[SSAValue]):
        super().__init__(operands=[stage, readers], result_types=[STAGE])

    def verify_(self) -> None:
        super().verify_()
        if not self.readers:
            raise VerifyException("clone_in needs at least one reader")
        verify_distinct(self.readers, "clone_in", "reader")
