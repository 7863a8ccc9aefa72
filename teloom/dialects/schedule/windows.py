"""Stages that are stored in loops further out than they are computed, and folded storage."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.schedule.relations import (
    AXIS,
    NUMBER,
    LoopOfStageCommand,
    StageCommand,
    axis_name,
)
from teloom.dialects.schedule.stages import StageOp
from teloom.dialects.schedule.storage import verify_data_axis
from teloom.dialects.syntax.attributes_behind import attributes_behind


@irdl_op_definition
class StoreAtOp(LoopOfStageCommand):
    """Stores a stage in the loop of an axis that is around the place where it is computed.

    What one iteration of the loops between has computed is there for the next ones, and is
    not computed again.

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

    Shape: `scope` is a leaf axis of the stage `parent`.
    Refused: by `apply-schedule`, an axis that is not around the place of computation, or
    with a loop further in around that place that is neither serial nor unrolled; the message
    lists the legal places.
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
    Refused: by `apply-schedule`, a loop around the place of computation that is neither
    serial nor unrolled.
    Like: `store_root` of Halide.
    """

    name = "schedule.store_root"


@irdl_op_definition
@attributes_behind
class StoredOp(IRDLOperation):
    """In a stage: where it is stored, at the root or in the loop of an axis around it.

    ```mlir
    te.func @double(%A: tensor<20xf32>) -> (tensor<20xf32>) {
      %C = schedule.stage "C" (%i = 20) : tensor<20xf32> {
        schedule.order %i
        %B = schedule.stage "B" at %i (%j = 20) : tensor<20xf32> {
          schedule.stored at root
          schedule.order %j
          schedule.equation (%p) {
            %a = te.read %A[%p] : f32
            te.yield %a : f32
          }
        }
        schedule.equation (%q) {
          %b = te.read %B[%q] : f32
          te.yield %b : f32
        }
      }
      te.return %C : tensor<20xf32>
    }
    ```

    Shape: a leaf axis of a stage around this one; none is the root. A stage without this op
    is stored where it is computed.
    Refused: an axis of another stage.
    Like: the store level of Halide.
    """

    name = "schedule.stored"

    axis = opt_operand_def(AXIS)

    traits = traits_def(HasParent(StageOp))

    def __init__(self, axis: SSAValue | None):
        super().__init__(operands=[axis])

    @property
    def stage(self) -> StageOp:
        """The stage that is stored there."""
        stage = self.parent_op()
        assert isinstance(stage, StageOp)
        return stage

    def verify_(self) -> None:
        around = self.stage.enclosing
        while self.axis is not None and around is not None and self.axis not in around.order.axes:
            around = around.enclosing
        if self.axis is not None and around is None:
            raise VerifyException(
                f'stage "{self.stage.stage_name.data}" is stored at {axis_name(self.axis)}, '
                "which is no leaf axis of a stage around it"
            )

    @classmethod
    def parse(cls, parser: Parser) -> StoredOp:
        parser.parse_keyword("at")
        if parser.parse_optional_keyword("root"):
            return StoredOp(None)
        return StoredOp(affine.parse_operand(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(" at ")
        if self.axis is None:
            printer.print_string("root")
        else:
            printer.print_operand(self.axis)


@irdl_op_definition
class FoldStorageOp(IRDLOperation):
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

    Shape: a root axis, also one that a relation has consumed. Without a factor it is the
    smallest one at which no two elements that are needed at the same time share memory.
    Refused: a factor below 1; by `apply-schedule`, an axis that is no data axis of its
    equation, an output; by `infer-bounds`, a factor by which two elements that are needed
    at the same time share memory, with the two.
    Like: `fold_storage` of Halide.
    """

    name = "schedule.fold_storage"

    axis = operand_def(AXIS)
    factor = opt_prop_def(NUMBER)

    assembly_format = "$axis (`factor` $factor^)? attr-dict"

    def __init__(self, axis: SSAValue, factor: int | None = None):
        super().__init__(
            operands=[axis],
            properties={"factor": None if factor is None else IntegerAttr(factor, i64)},
        )

    def verify_(self) -> None:
        name = axis_name(self.axis)
        if self.factor is not None and self.factor.value.data < 1:
            raise VerifyException(
                f"fold_storage of axis {name} by factor {self.factor.value.data}: factor must be "
                "at least 1"
            )
        verify_data_axis(self, self.axis)


@irdl_op_definition
class RollingBufferOp(StageCommand):
    """Stores a stage around the loop at which it is computed, in a circular buffer.

    The same as `store_at` the next axis further out, or `store_root` if there is none, and
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
