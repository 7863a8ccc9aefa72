"""Bounds of the region of a stage: promises of where it lies, and multiples that it ends at."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.schedule.numbers import NUMBER, NumberAttr, number
from teloom.dialects.schedule.relations import AXIS, RootAxisCommand, axis_name
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.dialects.syntax.attributes_behind import attributes_behind


class BoundCommand(RootAxisCommand):
    """Base of the commands that promise where the region of a stage lies along a data axis."""

    extent = prop_def(NUMBER)

    @property
    def start(self) -> int | None:
        """The least start of the region; None without one."""
        return None

    def verify_(self) -> None:
        super().verify_()
        word = self.name.removeprefix("schedule.")
        if self.extent.get() < 1:
            raise VerifyException(
                f"{word} of axis {axis_name(self.axis)} to {self.extent.get()}: an extent must "
                "be at least 1"
            )


@irdl_op_definition
class BoundOp(BoundCommand):
    """Promises that all of a stage that is needed lies within constants along an axis.

    What is stored has this extent there. A promise that holds for no sizes is refused; one that
    depends on sizes is checked by each call.

    ```mlir
    schedule.sequence @small on @f {
      %B = schedule.get "B"
      %i, %j = schedule.axes 2 of %B
      schedule.bound %i from 0 extent 32
    }
    ```

    Shape: a data axis; from `min` up to, not including, `min + extent`.
    Refused: an extent below 1; by `apply-schedule`, a reduce axis, an axis of an extern; by
    `infer-bounds`, a promise that holds for no sizes, with an element that is needed.
    Like: `bound` of Halide.
    """

    name = "schedule.bound"

    min = prop_def(NUMBER)
    extent = prop_def(NUMBER)

    assembly_format = "$axis `from` $min `extent` $extent attr-dict"

    def __init__(self, axis: SSAValue, min: int, extent: int):
        super().__init__(operands=[axis], properties={"min": number(min), "extent": number(extent)})

    @property
    def start(self) -> int:
        return self.min.get()


@irdl_op_definition
class BoundExtentOp(BoundCommand):
    """Promises that a region has at most so many coordinates along an axis, wherever it begins.

    What is stored has this extent there. Else it is as `schedule.bound`.

    ```mlir
    schedule.sequence @small on @f {
      %B = schedule.get "B"
      %i, %j = schedule.axes 2 of %B
      schedule.bound_extent %i extent 32
    }
    ```

    Shape: a data axis.
    Refused: what `schedule.bound` refuses.
    Like: `bound_extent` of Halide.
    """

    name = "schedule.bound_extent"

    assembly_format = "$axis `extent` $extent attr-dict"

    def __init__(self, axis: SSAValue, extent: int):
        super().__init__(operands=[axis], properties={"extent": number(extent)})


@irdl_op_definition
class AlignBoundsOp(RootAxisCommand):
    """Enlarges the region of a stage to whole blocks along an axis.

    Blocks begin at the coordinates that are `remainder` modulo `modulus`. Of each in which an
    element is needed, all that the tensor has are computed.

    ```mlir
    schedule.sequence @blocks on @f {
      %B = schedule.get "B"
      %i, %j = schedule.axes 2 of %B
      schedule.align_bounds %i modulus 8 remainder 0
    }
    ```

    Shape: a data axis; without a remainder it is 0.
    Refused: a modulus below 1, a remainder that is none of it; by `apply-schedule`, a reduce
    axis, an axis of an extern, an output.
    Like: `align_bounds` of Halide.
    """

    name = "schedule.align_bounds"

    modulus = prop_def(NUMBER)
    remainder = opt_prop_def(NUMBER)

    assembly_format = "$axis `modulus` $modulus (`remainder` $remainder^)? attr-dict"

    def __init__(self, axis: SSAValue, modulus: int, remainder: int | None = None):
        super().__init__(
            operands=[axis],
            properties={"modulus": number(modulus), "remainder": number(remainder)},
        )

    def verify_(self) -> None:
        super().verify_()
        modulus = self.modulus.get()
        given = 0 if self.remainder is None else self.remainder.get()
        if modulus < 1 or not 0 <= given < modulus:
            raise VerifyException(
                f"align_bounds of axis {axis_name(self.axis)}: no coordinate is {given} modulo "
                f"{modulus}"
            )


@irdl_op_definition
@attributes_behind
class BoundedOp(OpInStage):
    """A command on the region of a stage along a data axis.

    `from 0 extent 32` promises that it lies there, `extent 32` that it is no longer, and
    `modulus 8 remainder 0` asks for whole blocks.

    ```mlir
    te.func @ones() -> (tensor<4x8xf32>) {
      %A = schedule.stage "A" (%i = 4, %j = 8) : tensor<4x8xf32> {
        schedule.bounded %i from 0 extent 4
        schedule.bounded %j modulus 4 remainder 0
        schedule.order %i, %j
        schedule.equation (%p, %q) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4x8xf32>
    }
    ```

    Shape: in coordinates of the tensor.
    Refused: an axis that is no data axis of the stage.
    Like: `Bound` of Halide.
    """

    name = "schedule.bounded"

    WORDS: ClassVar = ("from", "extent", "modulus", "remainder")

    axis = operand_def(AXIS)
    start = opt_prop_def(NUMBER, prop_name="from")
    extent = opt_prop_def(NUMBER)
    modulus = opt_prop_def(NUMBER)
    remainder = opt_prop_def(NUMBER)

    def __init__(self, axis: SSAValue, **numbers: int | None):
        """`numbers` are by the words of the text; None is none."""
        super().__init__(
            operands=[axis],
            properties={word: number(numbers.get(word)) for word in self.WORDS},
        )

    @property
    def said_by(self) -> str:
        if self.modulus is not None:
            return "align_bounds"
        return "bound_extent" if self.start is None else "bound"

    def verify_(self) -> None:
        if self.axis not in self.stage.root_axes[: self.stage.data_axis_count]:
            raise VerifyException(f"{axis_name(self.axis)} is no data axis of the stage")

    @classmethod
    def parse(cls, parser: Parser) -> BoundedOp:
        axis = affine.parse_operand(parser)
        numbers: dict[str, int | None] = {}
        while (word := parser.parse_optional_keyword_in(cls.WORDS)) is not None:
            numbers[word] = parser.parse_integer(allow_boolean=False)
        return BoundedOp(axis, **numbers)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.axis)
        for word in self.WORDS:
            given = self.properties.get(word)
            if isinstance(given, NumberAttr):
                printer.print_string(f" {word} {given.value.data}")
