"""Loops that stages share, and the order of stages: the words and the commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from teloom.dialects.schedule.relations import AXIS, STAGE, CommandOp, verify_distinct
from teloom.dialects.schedule.sequence import MOST_AXES
from teloom.errors import did_you_mean


class Align(StrEnum):
    """How the iterations of a stage lie in a loop that it shares."""

    AUTO = "auto"
    """As `none`."""
    NONE = "none"
    """The axis has the coordinate of the loop."""
    START = "start"
    """The first iteration is that of the first stage in the loop."""
    END = "end"
    """The last iteration is that of the first stage in the loop."""
    EQUAL = "equal"
    """The first iteration is that of the first stage in the loop, and so is the last."""


Aligns = ArrayAttr[StringAttr]
"""The words of `Align`, one per loop, from the outermost in."""


def aligns(words: Sequence[str]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([StringAttr(word) for word in words])


def wrong_aligns(words: ArrayAttr[StringAttr] | None) -> Iterator[str]:
    """Messages on words that are no alignment."""
    for word in words or ():
        if word.data not in list(Align):
            near = did_you_mean(word.data, list(Align))
            yield f"no alignment {word.data!r}; alignments: {', '.join(Align)}{near}"


def parse_sharing(parser: Parser) -> list[Align]:
    """`sharing 2`, or `sharing 2 align [none, start]`; nothing if no loop is shared."""
    if not parser.parse_optional_keyword("sharing"):
        return []
    start = parser.pos
    count = parser.parse_integer(allow_boolean=False, allow_negative=False)
    if count > MOST_AXES:  # before the words are made
        parser.raise_error(f"no stage has {count} axes", start, parser.pos)
    words = [Align.NONE] * count
    if parser.parse_optional_keyword("align"):
        words = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_str_enum(Align)
        )
    if len(words) != count or not count:
        parser.raise_error(f"{len(words)} alignments for {count} shared loops", start, parser.pos)
    return words


def print_sharing(printer: Printer, words: Sequence[Align]) -> None:
    """Prints what `parse_sharing` reads."""
    if words:
        printer.print_string(f" sharing {len(words)}")
    if any(word is not Align.NONE for word in words):
        printer.print_string(f" align [{', '.join(words)}]")


@irdl_op_definition
class ComputeWithOp(CommandOp):
    """Runs two stages in one loop nest: they share the loops down to an axis.

    Both keep their own iterations: a shared loop runs through those of both. In an iteration, a
    stage that reads the other one comes behind it; otherwise they run in the order of the program.

    ```mlir
    schedule.sequence @together on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.compute_with %B, %C, %j align ["none", "start"]
    }
    ```

    Shape: the leading leaf axes of the stage and those of the other one, down to its axis, are
    the shared loops. `align` has a word for each of them, or one for all: `none` (which `auto` is,
    too) keeps the coordinates of both, `start` lets both begin at the same time, `end` lets both
    end at the same time, `equal` lets both do both.
    Refused: another alignment; by `apply-schedule`, stages at different places, a scan, too few
    leaf axes, axes of different kinds, a stage that has to stand between them; by `check-schedule`,
    a stage that reads what the other one computes later, with two instances; by `build-loops`,
    other extents where `align` is `equal`.
    Like: `compute_with` of Halide.
    """

    name = "schedule.compute_with"

    stage = operand_def(STAGE)
    other = operand_def(STAGE)
    axis = operand_def(AXIS)
    align = opt_prop_def(Aligns)

    assembly_format = "$stage `,` $other `,` $axis (`align` $align^)? attr-dict"

    def __init__(
        self, stage: SSAValue, other: SSAValue, axis: SSAValue, align: Sequence[str] | None = None
    ):
        super().__init__(
            operands=[stage, other, axis],
            properties={"align": None if align is None else aligns(align)},
        )

    def verify_(self) -> None:
        super().verify_()
        verify_distinct((self.stage, self.other), "compute_with", "stage")
        for message in wrong_aligns(self.align):
            raise VerifyException(message)


@irdl_op_definition
class MergeOp(CommandOp):
    """Makes one nest of two whose loops have the same extents, down to an axis of each.

    ```mlir
    schedule.sequence @together on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %x = schedule.axes 1 of %B
      %y = schedule.axes 1 of %C
      schedule.merge %x, %C, %y
    }
    ```

    Shape: two leaf axes, with as many loops around one as around the other. The loops begin and end
    together, wherever the coordinates of their axes begin.
    Refused: by `apply-schedule`, axes at different depths, and what `schedule.compute_with`
    refuses; by `build-loops`, different extents.
    Like: `merge` of TVM's tir.Schedule.
    """

    name = "schedule.merge"

    axis = operand_def(AXIS)
    other = operand_def(STAGE)
    other_axis = operand_def(AXIS)

    assembly_format = "$axis `,` $other `,` $other_axis attr-dict"

    def __init__(self, axis: SSAValue, other: SSAValue, other_axis: SSAValue):
        super().__init__(operands=[axis, other, other_axis])


@irdl_op_definition
class AfterOp(CommandOp):
    """Runs a stage behind another one that it does not read, maybe in loops that they share.

    ```mlir
    schedule.sequence @ordered on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %D = schedule.get "D"
      %i = schedule.axes 1 of %C
      schedule.after %B, %C
      schedule.after %D, %C at %i
    }
    ```

    Shape: two stages at one place. With a leaf axis of the second one, they share the loops down to
    it: in each iteration the stage runs behind the other one.
    Refused: one stage twice; by `apply-schedule`, stages at different places, an order that the
    reads of the program do not leave, and what `schedule.compute_with` refuses.
    Like: `after` of Tiramisu.
    """

    name = "schedule.after"

    stage = operand_def(STAGE)
    other = operand_def(STAGE)
    axis = opt_operand_def(AXIS)

    assembly_format = "$stage `,` $other (`at` $axis^)? attr-dict"

    def __init__(self, stage: SSAValue, other: SSAValue, axis: SSAValue | None = None):
        super().__init__(operands=[stage, other, axis])

    def verify_(self) -> None:
        super().verify_()
        verify_distinct((self.stage, self.other), "after", "stage")


@irdl_op_definition
class BetweenOp(CommandOp):
    """Runs a stage behind a second one and in front of a third, in loops that they share.

    ```mlir
    schedule.sequence @ordered on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %D = schedule.get "D"
      %i = schedule.axes 1 of %C
      %j = schedule.axes 1 of %D
      schedule.between %B, %C at %i, %D at %j
    }
    ```

    Shape: three stages at one place. The first shares the loops of the second one down to its
    axis, and those of the third down to its axis.
    Refused: one stage twice, and what `schedule.after` refuses.
    Like: `between` of Tiramisu, which is two `after`.
    """

    name = "schedule.between"

    stage = operand_def(STAGE)
    before = operand_def(STAGE)
    before_axis = operand_def(AXIS)
    behind = operand_def(STAGE)
    behind_axis = operand_def(AXIS)

    assembly_format = "$stage `,` $before `at` $before_axis `,` $behind `at` $behind_axis attr-dict"

    def __init__(
        self,
        stage: SSAValue,
        before: SSAValue,
        before_axis: SSAValue,
        behind: SSAValue,
        behind_axis: SSAValue,
    ):
        super().__init__(operands=[stage, before, before_axis, behind, behind_axis])

    def verify_(self) -> None:
        super().verify_()
        verify_distinct((self.stage, self.before, self.behind), "between", "stage")


@irdl_op_definition
class FissionOp(CommandOp):
    """Distributes a loop, and those inside, over the stages that share it.

    ```mlir
    schedule.sequence @apart on @f {
      %B = schedule.get "B"
      %C = schedule.get "C"
      %i, %j = schedule.axes 2 of %C
      schedule.compute_with %B, %C, %j
      schedule.fission %j
    }
    ```

    Shape: a leaf axis; the loops outside of it stay shared.
    Refused: by `apply-schedule`, an axis whose loop no stage shares.
    Like: `fission` of Exo; loop distribution.
    """

    name = "schedule.fission"

    axis = operand_def(AXIS)

    assembly_format = "$axis attr-dict"

    def __init__(self, axis: SSAValue):
        super().__init__(operands=[axis])
