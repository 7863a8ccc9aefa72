"""Modes: how exactly the region of a stage is computed, and the command that sets it."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from teloom.dialects.schedule.numbers import NUMBER, NumberAttr, number, parse_number, shown
from teloom.dialects.schedule.relations import STAGE, CommandOp
from teloom.errors import did_you_mean


class Mode(StrEnum):
    """The approximation of the elements that a stage computes: none, a convex hull, or a box."""

    EXACT = "exact"
    HULL = "hull"
    BOX = "box"


@irdl_op_definition
class SetModeOp(CommandOp):
    """Sets how exactly the region of a stage is computed.

    A mode is `exact`, a convex `hull`, or a `box`. A budget limits the isl operations of each
    mode that is tried; a million of them take about a second.

    ```mlir
    schedule.sequence @modes on @f {
      %B = schedule.get "B"
      schedule.set_mode %B "hull"
      %C = schedule.get "C"
      schedule.set_mode %C budget 1000000
    }
    ```

    Shape: one stage.
    Refused: an unknown mode, a budget below 1, neither of them.
    Like: no command of TVM or Halide, which always take boxes.
    """

    name = "schedule.set_mode"

    stage = operand_def(STAGE)
    mode = opt_prop_def(StringAttr)
    budget = opt_prop_def(NUMBER)

    assembly_format = "$stage ($mode^)? (`budget` $budget^)? attr-dict"

    def __init__(self, stage: SSAValue, mode: str | None = None, budget: int | None = None):
        properties = {
            "mode": None if mode is None else StringAttr(mode),
            "budget": number(budget),
        }
        super().__init__(operands=[stage], properties=properties)

    def verify_(self) -> None:
        super().verify_()
        if self.mode is None and self.budget is None:
            raise VerifyException("set_mode says neither a mode nor a budget")
        for message in wrong_modes(self.mode, self.budget):
            raise VerifyException(message)


def wrong_modes(mode: StringAttr | None, budget: NumberAttr | None) -> Iterator[str]:
    """Messages on what is wrong with a mode or a budget of a stage."""
    if mode is not None and mode.data not in list(Mode):
        near = did_you_mean(mode.data, list(Mode))
        yield f"no mode {mode.data!r}; modes: {', '.join(Mode)}{near}"
    if budget is not None and budget.value.data < 1:
        yield f"a budget of {budget.value.data} operations: it must be at least 1"


def parse_mode(parser: Parser) -> tuple[StringAttr | None, NumberAttr | None]:
    """`mode "hull" budget 1000`, or a part of it."""
    mode = budget = None
    if parser.parse_optional_keyword("mode"):
        mode = StringAttr(parser.parse_str_literal("mode"))
    if parser.parse_optional_keyword("budget"):
        budget = NumberAttr.of(parse_number(parser))
    return mode, budget


def print_mode(printer: Printer, mode: StringAttr | None, budget: NumberAttr | None) -> None:
    if mode is not None:
        printer.print_string(" mode ")
        printer.print_string_literal(mode.data)
    if budget is not None:
        printer.print_string(f" budget {shown(budget)}")
