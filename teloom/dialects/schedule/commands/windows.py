"""Windows: commands that store a stage further out than it is computed, and fold its storage."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.numbers import NUMBER, number
from teloom.dialects.schedule.relations import (
    LoopOfStageCommand,
    RootAxisCommand,
    StageCommand,
    axis_name,
)


@irdl_op_definition
class StoreAtOp(LoopOfStageCommand):
    """Stores a stage in the loop of an axis around its place of computation.

    Elements that one iteration of the loops in between has computed stay for the next ones, and
    are not computed again.

    ```mlir
    schedule.sequence @window on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %y, %x = schedule.axes 2 of %C
      %yo, %yi = schedule.split %y factor 8
      schedule.compute_at %B, %C, %yi
      schedule.store_at %B, %C, %yo
    }
    ```

    Shape: a stage, the stage of the loop, and a leaf axis of that.
    Refused: by `apply-schedule`, an output, or an axis that is not around the place of
    computation; the message lists the legal places; by `check-schedule`, a loop further in that is
    parallel or over threads, of which an iteration reads what another one computes.
    Like: `store_at` of Halide.
    """

    name = "schedule.store_at"


@irdl_op_definition
class StoreRootOp(StageCommand):
    """Stores a stage outside of all loops, wherever it is computed.

    ```mlir
    schedule.sequence @window on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %y, %x = schedule.axes 2 of %C
      schedule.compute_at %B, %C, %y
      schedule.store_root %B
    }
    ```

    Shape: one stage.
    Refused: by `check-schedule`, a loop around the place of computation as of `store_at`.
    Like: `store_root` of Halide.
    """

    name = "schedule.store_root"


@irdl_op_definition
class FoldStorageOp(RootAxisCommand):
    """Stores the elements along a data axis modulo a factor: a circular buffer.

    ```mlir
    schedule.sequence @window on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %y, %x = schedule.axes 2 of %C
      %i, %j = schedule.axes 2 of %B
      schedule.compute_at %B, %C, %y
      schedule.store_root %B
      schedule.fold_storage %i factor 3
    }
    ```

    Shape: a root axis, also one that a relation has consumed. Without a factor, the smallest one
    is chosen that is legal.
    Refused: a factor below 1; by `apply-schedule`, an axis that is no data axis of its
    equation, an output; by `infer-bounds`, a factor with which two elements that are live at the
    same time would alias, with the two as witness.
    Like: `fold_storage` of Halide.
    """

    name = "schedule.fold_storage"

    factor = opt_prop_def(NUMBER)

    assembly_format = "$axis (`factor` $factor^)? attr-dict"

    def __init__(self, axis: SSAValue, factor: int | None = None):
        super().__init__(
            operands=[axis],
            properties={"factor": number(factor)},
        )

    def verify_(self) -> None:
        name = axis_name(self.axis)
        if self.factor is not None and self.factor.value.data < 1:
            raise VerifyException(
                f"fold_storage of axis {name} by factor {self.factor.value.data}: factor must be "
                "at least 1"
            )


@irdl_op_definition
class RollingBufferOp(StageCommand):
    """Stores a stage outside of the loop in which it is computed, in a circular buffer.

    It is `store_at` the next axis further out, or `store_root` if there is none, and
    `fold_storage` of each data axis.

    ```mlir
    schedule.sequence @window on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %y, %x = schedule.axes 2 of %C
      schedule.compute_at %B, %C, %y
      schedule.rolling_buffer %B
    }
    ```

    Shape: one stage.
    Refused: by `apply-schedule`, a stage at the root, an output.
    Like: `Stage.rolling_buffer` of TVM.
    """

    name = "schedule.rolling_buffer"
