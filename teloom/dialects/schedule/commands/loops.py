"""Commands that reorder the loops of a stage, and set their kinds.

The TE method that appends a command is derived from the op: its parameters are named as the
operands and properties.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import (
    SSAValue,
)
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.schedule.numbers import NUMBER_OR_SIZE, NumberAttr
from teloom.dialects.schedule.relations import (
    AXIS,
    CommandOp,
    axis_name,
    verify_distinct,
)
from teloom.dialects.syntax.tails import verify_tail

STATIC, DYNAMIC = "static", "dynamic"


@irdl_op_definition
class TileOp(CommandOp):
    """Splits two axes and orders the four that result: outer, outer, inner, inner.

    ```mlir
    schedule.sequence @tiles on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      %io, %jo, %ii, %ji = schedule.tile %i, %j by 8, 32
    }
    ```

    Shape: factors are the extents of the inner axes; `tail` is that of both splits.
    Refused: a factor below 1, the same axis twice, an unknown tail.
    Like: `Stage.tile` of TVM.
    """

    name = "schedule.tile"

    x_parent = operand_def(AXIS)
    y_parent = operand_def(AXIS)
    x_factor = prop_def(NUMBER_OR_SIZE)
    y_factor = prop_def(NUMBER_OR_SIZE)
    tail = opt_prop_def(StringAttr)
    x_outer = result_def(AXIS)
    y_outer = result_def(AXIS)
    x_inner = result_def(AXIS)
    y_inner = result_def(AXIS)

    assembly_format = (
        "$x_parent `,` $y_parent `by` $x_factor `,` $y_factor (`tail` $tail^)? attr-dict"
    )

    def __init__(
        self,
        x_parent: SSAValue,
        y_parent: SSAValue,
        x_factor: int,
        y_factor: int,
        tail: str | None = None,
    ):
        super().__init__(
            operands=[x_parent, y_parent],
            properties={
                "x_factor": NumberAttr.of(x_factor),
                "y_factor": NumberAttr.of(y_factor),
                "tail": None if tail is None else StringAttr(tail),
            },
            result_types=[AXIS] * 4,
        )

    @property
    def consumed(self) -> Sequence[SSAValue]:
        return (self.x_parent, self.y_parent)

    def verify_(self) -> None:
        super().verify_()
        verify_distinct((self.x_parent, self.y_parent), "tile")
        verify_tail(self.tail)
        for axis, factor in (
            (self.x_parent, self.x_factor),
            (self.y_parent, self.y_factor),
        ):
            if not factor.is_positive():
                raise VerifyException(
                    f"tile of axis {axis_name(axis)} by {factor.value.data}: "
                    "a factor must be at least 1"
                )


@irdl_op_definition
class ReorderOp(CommandOp):
    """Permutes the named axes among their positions in the order; all other axes stay.

    ```mlir
    schedule.sequence @swap on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.reorder %j, %i
    }
    ```

    Shape: leaf axes of one stage.
    Refused: no axis, the same axis twice.
    Like: `Stage.reorder` of TVM.
    """

    name = "schedule.reorder"

    args = var_operand_def(AXIS)

    assembly_format = "$args attr-dict"

    def __init__(self, args: Sequence[SSAValue]):
        super().__init__(operands=[args])

    def verify_(self) -> None:
        super().verify_()
        if not self.args:
            raise VerifyException("reorder needs at least one axis")
        verify_distinct(self.args, "reorder")


class LoopKindCommand(CommandOp):
    """Base of the commands that give a leaf axis its kind."""

    var = operand_def(AXIS)

    assembly_format = "$var attr-dict"

    def __init__(self, var: SSAValue):
        super().__init__(operands=[var])


@irdl_op_definition
class VectorizeOp(LoopKindCommand):
    """Runs the iterations of an axis as the lanes of vectors.

    ```mlir
    schedule.sequence @lanes on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      schedule.vectorize %i
    }
    ```

    Shape: a leaf axis, of any extent.
    Refused: by `apply-schedule`, an axis of an extern with calls or vectors, a second kind.
    Like: `Stage.vectorize` of TVM.
    """

    name = "schedule.vectorize"


@irdl_op_definition
class UnrollOp(LoopKindCommand):
    """Runs the iterations of an axis as copies of the loop's body.

    ```mlir
    schedule.sequence @copies on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      schedule.unroll %i
    }
    ```

    Shape: a leaf axis, of any extent.
    Refused: by `apply-schedule`, an axis that is no leaf.
    Like: `Stage.unroll` of TVM.
    """

    name = "schedule.unroll"


@irdl_op_definition
class ParallelOp(LoopKindCommand):
    """Runs the iterations of an axis at the same time, on several cores.

    Each thread runs an equal part of the iterations; or, if the chunk is dynamic, takes the next
    iteration when it has finished one: that is for iterations that take different times. Iterations
    of a reduce axis fold in chunks; the number of chunks does not depend on the number of threads.

    ```mlir
    schedule.sequence @cores on @f {
      %C = schedule.get "C"
      %i = schedule.axes 1 of %C
      schedule.parallel %i
      %D = schedule.get "D"
      %j = schedule.axes 1 of %D
      schedule.parallel %j chunk "dynamic"
    }
    ```

    Shape: a leaf axis, of any extent; the chunk is "static", which it is by default, or "dynamic".
    Refused: another chunk; by `apply-schedule`, a reduce axis of an extern, a second kind; by
    `check-parallel`, an axis of which two iterations touch the same element, and one of them
    writes it.
    Like: `Stage.parallel` of TVM, `schedule` of OpenMP.
    """

    name = "schedule.parallel"

    chunk = opt_prop_def(StringAttr)

    assembly_format = "$var (`chunk` $chunk^)? attr-dict"

    def __init__(self, var: SSAValue, chunk: str | None = None):
        said = None if chunk is None else StringAttr(chunk)
        CommandOp.__init__(self, operands=[var], properties={"chunk": said})

    @property
    def is_dynamic(self) -> bool:
        return self.chunk is not None and self.chunk.data == DYNAMIC

    def verify_(self) -> None:
        super().verify_()
        if self.chunk is not None and self.chunk.data not in (STATIC, DYNAMIC):
            raise VerifyException(
                f'parallel of axis {axis_name(self.var)}: no chunk "{self.chunk.data}"; '
                f'it is "{STATIC}" or "{DYNAMIC}"'
            )
