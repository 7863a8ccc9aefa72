"""Commands that set where a stage is computed, and in which memory.

The TE method that appends a command is derived from the op: its parameters are named as the
operands and properties. `parent_` is the parameter `parent`, as an xDSL operation already has a
`parent`.
"""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import (
    SSAValue,
)
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from teloom.dialects.schedule.relations import (
    STAGE,
    CommandOp,
    LoopOfStageCommand,
    StageCommand,
)
from teloom.dialects.syntax.scopes import verify_scope


@irdl_op_definition
class ComputeAtOp(LoopOfStageCommand):
    """Computes a stage inside the loop of an axis of its consumer: exactly what is read there.

    An output is stored at the root all the same: no element is computed twice.

    ```mlir
    schedule.sequence @fused on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.compute_at %B, %C, %i
    }
    ```

    Shape: a stage or a group, the stage of the loop, and a leaf axis of that.
    Refused: by `apply-schedule`, a consumer outside that loop, an axis that is no leaf
    or is vectorized, a stage computed inside it; the message lists the legal places. By
    `check-schedule`, an output with an element that no iteration computes.
    Like: `Stage.compute_at` of TVM.
    """

    name = "schedule.compute_at"


@irdl_op_definition
class ComputeRootOp(StageCommand):
    """Computes a stage as a whole, before all its readers.

    ```mlir
    schedule.sequence @apart on @f {
      %B = schedule.get "B"
      schedule.compute_root %B
    }
    ```

    Shape: a stage or a group.
    Refused: a stage that was inlined.
    Like: `Stage.compute_root` of TVM.
    """

    name = "schedule.compute_root"


PlaceCommand = ComputeAtOp | ComputeRootOp
"""The commands that set where a stage, or a group of stages, is computed."""


@irdl_op_definition
class ComputeInlineOp(StageCommand):
    """Replaces every read of a stage by its equation, and removes the stage.

    ```mlir
    schedule.sequence @inlined on @f {
      %B = schedule.get "B"
      schedule.compute_inline %B
    }
    ```

    Shape: one stage.
    Refused: by `apply-schedule`, an output, a reduction.
    Like: `Stage.compute_inline` of TVM.
    """

    name = "schedule.compute_inline"


@irdl_op_definition
class SetScopeOp(CommandOp):
    """Sets the memory in which a stage is stored.

    The scopes are `global`, `shared` (by the threads of a block), `warp` (by those of a warp)
    and `local` (to one thread). A target may need a tag behind a dot, as in `global.vtcm`.

    ```mlir
    schedule.sequence @memory on @f {
      %B = schedule.get "B"
      schedule.set_scope %B "shared"
    }
    ```

    Shape: one stage.
    Refused: an unknown scope; by `apply-schedule`, an output in any scope but `global`.
    Like: `Stage.set_scope` of TVM.
    """

    name = "schedule.set_scope"

    stage = operand_def(STAGE)
    scope = prop_def(StringAttr)

    assembly_format = "$stage $scope attr-dict"

    def __init__(self, stage: SSAValue, scope: str):
        super().__init__(operands=[stage], properties={"scope": StringAttr(scope)})

    def verify_(self) -> None:
        super().verify_()
        verify_scope(self.scope.data)
