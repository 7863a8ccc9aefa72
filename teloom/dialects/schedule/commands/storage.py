"""The commands that set how the elements of a stage are stored."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_operand_def, opt_prop_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine.operands import parse_operand
from teloom.dialects.schedule.numbers import NUMBER, NumberAttr, number
from teloom.dialects.schedule.relations import (
    STAGE,
    CommandOp,
    RootAxisCommand,
    StageCommand,
    axis_name,
)
from teloom.dialects.syntax.attributes_behind import attributes_behind
from teloom.dialects.syntax.layouts import LayoutAttr, parse_layout
from teloom.dialects.syntax.storage import MOST_COPIES


@irdl_op_definition
class StorageAlignOp(RootAxisCommand):
    """Pads rows so that a data axis has a stride that is `offset` modulo `factor`.

    ```mlir
    schedule.sequence @gaps on @f {
      %B = schedule.get "B"
      %i, %j = schedule.axes 2 of %B
      schedule.storage_align %i factor 32 offset 1
    }
    ```

    Shape: in elements; a root axis, also one that a relation has consumed.
    Refused: a factor below 1, an offset that is not in 0 .. factor - 1; by
    `apply-schedule`, an axis that is no data axis of its equation, an output.
    Like: `Stage.storage_align` of TVM.
    """

    name = "schedule.storage_align"

    factor = prop_def(NUMBER)
    offset = prop_def(NUMBER)

    assembly_format = "$axis `factor` $factor `offset` $offset attr-dict"

    def __init__(self, axis: SSAValue, factor: int, offset: int):
        super().__init__(
            operands=[axis],
            properties={"factor": NumberAttr.of(factor), "offset": NumberAttr.of(offset)},
        )

    def verify_(self) -> None:
        factor, offset = self.factor.value.data, self.offset.value.data
        name = axis_name(self.axis)
        if factor < 1:
            raise VerifyException(
                f"storage_align of axis {name} by factor {factor}: factor must be at least 1"
            )
        if not 0 <= offset < factor:
            raise VerifyException(
                f"storage_align of axis {name} by offset {offset}: with factor {factor} it must "
                f"be in 0 .. {factor - 1}"
            )


@irdl_op_definition
@attributes_behind
class TransformLayoutOp(CommandOp):
    """Sets the layout of a stage: row-major in the physical coordinates that a map gives.

    The map takes the positions on the data axes, counted from the start of the stored region.
    `separators [1]` begins a new dimension of memory before physical axis 1. `packed lower` stores
    of the last two coordinates a triangle, row behind row: of row r columns 0 to r, or with
    `packed upper` columns r to the last. `argument 0` in the place of a stage is an array of the
    caller, by its number among the tensors.

    ```mlir
    schedule.sequence @blocked on @f {
      %B = schedule.get "B"
      schedule.transform_layout %B affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>
      %C = schedule.get "C"
      schedule.transform_layout %C affine_map<(d0, d1) -> (d1, d0)> separators [1]
      %L = schedule.get "L"
      schedule.transform_layout %L affine_map<(d0, d1) -> (d0, d1)> packed lower
      schedule.transform_layout argument 0 affine_map<(d0, d1) -> (d1, d0)>
    }
    ```

    Shape: one dimension of the map per data axis, one result per physical axis; loops stay.
    Refused: separators that do not rise, or with no physical axis on one side; a triangle of one
    axis, or of axes apart; a stage together with an argument; by `apply-schedule`, another number
    of axes, a layout of an aligned axis that is not itself a physical one with a stride, a number
    that no argument has, an element beside the triangle, a folded one; by `build-loops`, an array
    that has strides; by `storage-flatten`, two elements at one place, an access beside the
    triangle.
    Like: `Stage.transform_layout` of TVM, `store_in` of Tiramisu.
    """

    name = "schedule.transform_layout"

    stage = opt_operand_def(STAGE)
    layout = prop_def(LayoutAttr)
    argument = opt_prop_def(NUMBER)

    def __init__(self, stage: SSAValue | None, layout: LayoutAttr, argument: int | None = None):
        super().__init__(
            operands=[stage],
            properties={
                "argument": number(argument),
                "layout": layout,
            },
        )

    def verify_(self) -> None:
        super().verify_()
        if (self.stage is None) == (self.argument is None):
            raise VerifyException(
                "transform_layout wants one tensor: of a stage, as %B, or argument 0"
            )

    @classmethod
    def parse(cls, parser: Parser) -> TransformLayoutOp:
        if parser.parse_optional_keyword("argument"):
            argument = parser.parse_integer(allow_boolean=False, allow_negative=False)
            return TransformLayoutOp(None, parse_layout(parser), argument)
        stage = parse_operand(parser)
        return TransformLayoutOp(stage, parse_layout(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.stage is not None:
            printer.print_operand(self.stage)
        if self.argument is not None:
            printer.print_string(f"argument {self.argument.value.data}")
        printer.print_string(f" {self.layout.bare}")


@irdl_op_definition
class DoubleBufferOp(StageCommand):
    """Stores a stage twice, so that one iteration computes what the next one reads.

    The stage is computed in a loop of another stage. While an iteration of that loop reads one
    copy, it writes the other copy for the next iteration.

    ```mlir
    schedule.sequence @ahead on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.compute_at %B, %C, %i
      schedule.double_buffer %B
    }
    ```

    Shape: one stage.
    Refused: by `apply-schedule`, an output, a stage that is computed at the root or in a
    loop that is not serial; by `double-buffer`, a stage that cannot be computed ahead.
    Like: `Stage.double_buffer` of TVM.
    """

    name = "schedule.double_buffer"


@irdl_op_definition
class RingBufferOp(StageCommand):
    """Stores a stage several times, so that one iteration computes what a later one reads.

    With n copies it is the one that is n - 1 iterations later; two are a double buffer.

    ```mlir
    schedule.sequence @ahead on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.compute_at %B, %C, %i
      schedule.ring_buffer %B copies 4
    }
    ```

    Shape: one stage; of several in one loop, all have as many copies as one has at most.
    Refused: less than 2 copies, or more than 1024; what `schedule.double_buffer` refuses.
    Like: `ring_buffer` of Halide.
    """

    name = "schedule.ring_buffer"

    copies = prop_def(NUMBER)

    assembly_format = "$stage `copies` $copies attr-dict"

    def __init__(self, stage: SSAValue, copies: int):
        CommandOp.__init__(self, operands=[stage], properties={"copies": number(copies)})

    def verify_(self) -> None:
        super().verify_()
        if not 2 <= self.copies.get() <= MOST_COPIES:
            raise VerifyException(
                f"ring_buffer of {self.copies.get()} copies: there are 2 to {MOST_COPIES}"
            )


@irdl_op_definition
class StreamStoresOp(StageCommand):
    """Stores the elements of a stage past the caches, which keep what is read again.

    For what is larger than a cache and read much later: a line is written without being read
    before. Only vectors that begin on a boundary are stored so. Where that depends on the arrays
    of a call, there are two versions, and each call takes one.

    ```mlir
    schedule.sequence @large on @f {
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.vectorize %j
      schedule.stream_stores %C
    }
    ```

    Shape: one stage.
    Refused: by `apply-schedule`, a stage that is computed in a loop of another one, which reads
    it at once; a reduction or a scan, which reads what it has stored; an extern.
    Like: `store_in` of Halide with a streaming store, `nontemporal` of MLIR's `vector.store`.
    """

    name = "schedule.stream_stores"
