"""Commands that join a reader with its producer, and keep the loops of the producer."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from teloom.dialects.schedule.relations import (
    AXIS,
    STAGE,
    CommandOp,
    StageCommand,
)
from teloom.dialects.schedule.sequence import MOST_AXES
from teloom.dialects.syntax.attributes_behind import attributes_behind


class ReverseCommand(IRDLOperation):
    """Base of the commands that give a stage the loops of its only producer.

    Handles of axes of the producer are from then on of axes of the stage.
    """

    stage = operand_def(STAGE)


@irdl_op_definition
class ReverseComputeInlineOp(StageCommand, ReverseCommand):
    """Merges a stage into its only producer: its equation runs in the loops of that.

    The stage takes the loops of the producer, with their kinds and what is computed in them, and
    the place of the producer; the producer's equation takes the place of the read, and the
    producer is gone. Handles of it, and of its axes, are from then on of the stage.

    ```mlir
    schedule.sequence @merged on @f {
      %B = schedule.get "B"
      %i, %j = schedule.axes 2 of %B
      %io, %ii = schedule.split %i factor 8
      %C = schedule.get "C"
      schedule.reverse_compute_inline %C
      schedule.vectorize %j
    }
    ```

    Shape: one stage, each element of which reads one element of one other stage, and no two the
    same. Its axes become the inverse of the subscripts that it reads.
    Refused: by `apply-schedule`, other reads of stages, a read under a condition, subscripts
    that depend on data, are outside of the producer, or are the same at two instances;
    a producer that is an output, is read by others, or has no equation of one value; a stage
    that is no equation of one value, or whose own loops or places would be lost.
    Like: `reverse_compute_inline` of TVM.
    """

    name = "schedule.reverse_compute_inline"


@irdl_op_definition
@attributes_behind
class ReverseComputeAtOp(CommandOp, ReverseCommand):
    """Moves a stage into a loop of its only producer, where it reads what that just computed.

    The loops of the producer down to the axis become loops of the stage, and the producer is
    computed in them: each iteration computes a part of the producer, and then the part of the
    stage that reads it. Handles of these loops are from then on of the stage. The results are the
    loops of the stage further in, serial, in the order in which the producer runs through its
    part; that keeps its own loops there.

    ```mlir
    schedule.sequence @behind on @f {
      %B = schedule.get "B"
      %i, %j = schedule.axes 2 of %B
      %io, %ii = schedule.split %i factor 8
      %C = schedule.get "C"
      %k, %l = schedule.reverse_compute_at %C, %B, %io inner 2
      schedule.vectorize %l
    }
    ```

    Shape: a stage, its producer, and a leaf axis of that; `inner 2` is the number of results, of
    which there may be none, too.
    Refused: by `apply-schedule`, what `schedule.reverse_compute_inline` refuses, but for a
    producer that is a reduction; an axis that is no data axis, is inside of a reduce axis, or
    is vectorized; another number of results.
    Like: `reverse_compute_at` of TVM.
    """

    name = "schedule.reverse_compute_at"

    stage = operand_def(STAGE)
    parent_ = operand_def(STAGE)
    scope = operand_def(AXIS)
    inner = var_result_def(AXIS)

    def __init__(self, stage: SSAValue, parent: SSAValue, scope: SSAValue, inner: int = 0):
        super().__init__(operands=[stage, parent, scope], result_types=[[AXIS] * inner])

    @property
    def axis(self) -> SSAValue:
        """The axis to whose loop the stage moves; `scope` is TVM's name of it."""
        return self.scope

    @classmethod
    def parse(cls, parser: Parser) -> ReverseComputeAtOp:
        operands: list[SSAValue] = []
        for kind in (STAGE, STAGE, AXIS):
            if operands:
                parser.parse_punctuation(",")
            operands.append(parser.resolve_operand(parser.parse_unresolved_operand(), kind))
        count, start = 0, parser.pos
        if parser.parse_optional_keyword("inner"):
            count = parser.parse_integer(allow_boolean=False, allow_negative=False)
        if count > MOST_AXES:  # before the results are created
            parser.raise_error(f"no stage has {count} axes", start, parser.pos)
        return ReverseComputeAtOp(*operands, inner=count)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        if self.inner:
            printer.print_string(f" inner {len(self.inner)}")
