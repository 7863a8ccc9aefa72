"""Loops that stages share, and the order of stages: the words and the commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from teloom.dialects.schedule.relations import AXIS, STAGE, CommandOp, verify_distinct
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
    end at the same time.
    Refused: another alignment; by `apply-schedule`, stages at different places, a scan, too few
    leaf axes, axes of different kinds, a stage that has to stand between them; by `infer-bounds`,
    a stage that reads what the other one computes later, with two instances.
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
