"""`schedule.order`: the leaf axes of a stage, and who decided their order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FusedLoc, LocationAttr, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.loop import KINDS, LoopKind, LoopKindAttr
from teloom.dialects.schedule.relations import AXIS, verify_distinct
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.dialects.syntax.attributes_behind import attributes_behind

_SAID = StringAttr("schedule.order")
"""The fused location of an order whose commands stand at several places."""


@irdl_op_definition
@attributes_behind
class OrderOp(OpInStage):
    """The leaf axes of a stage from the outermost loop to the innermost, with their kinds.

    ```mlir
    te.func @ones() -> (tensor<4x8xf32>) {
      %A = schedule.stage "A" (%i = 4, %j = 8) : tensor<4x8xf32> {
        schedule.order %j parallel, %i vectorized
        schedule.equation (%p, %q) {
          %one = arith.constant 1.0 : f32
          te.yield %one : f32
        }
      }
      te.return %A : tensor<4x8xf32>
    }
    ```

    Shape: one kind per axis; serial is not printed.
    Refused: another number of kinds, the same axis twice.
    Like: `leaf_iter_vars` of TVM.
    """

    name = "schedule.order"

    axes = var_operand_def(AXIS)
    kinds = prop_def(ArrayAttr[LoopKindAttr])

    def __init__(self, axes: Sequence[SSAValue], kinds: Sequence[LoopKind]):
        Operation.__init__(  # of plain operands: what else a constructor takes takes longer
            self, operands=axes, properties={"kinds": ArrayAttr([KINDS[kind] for kind in kinds])}
        )

    @property
    def leaves(self) -> list[tuple[SSAValue, LoopKind]]:
        """(axis, kind) from the outermost to the innermost."""
        return [(axis, kind.data) for axis, kind in zip(self.axes, self.kinds, strict=True)]

    @property
    def commands(self) -> list[LocationAttr]:
        """The locations of the commands that decide the order, and then the kind of each axis."""
        match self.location:
            case FusedLoc(locations=ArrayAttr(data=said), metadata=metadata) if metadata == _SAID:
                return [*said]  # pyright: ignore
            case location:
                return [location] * (1 + len(self.axes))

    def set_commands(self, said: Sequence[LocationAttr]) -> None:
        """Sets `commands`: a refusal shows the line of the command that is to blame."""
        is_one = said.count(said[0]) == len(said)
        self.location = said[0] if is_one else FusedLoc(ArrayAttr(said), _SAID)

    def command_apart(self, axis: SSAValue) -> LocationAttr:
        """The location of the command that decides how iterations of an axis follow each other.

        For iterations at the same time, that is the command of the kind; else that of the order.
        """
        leaves = self.leaves
        number = next(number for number, (leaf, _) in enumerate(leaves) if leaf is axis)
        return self.commands[0 if leaves[number][1].one_after_another else 1 + number]

    def verify_(self) -> None:
        if len(self.kinds) != len(self.axes):
            raise VerifyException(f"{len(self.kinds)} kinds for {len(self.axes)} axes")
        verify_distinct(self.axes, "order")

    @classmethod
    def parse(cls, parser: Parser) -> OrderOp:
        axes: list[SSAValue] = []
        kinds: list[LoopKind] = []
        words = [kind.value for kind in LoopKind]

        def parse_axis() -> None:
            axes.append(affine.parse_operand(parser))
            word = parser.parse_optional_keyword_in(words)
            kinds.append(LoopKind(word) if word is not None else LoopKind.SERIAL)

        if parser.parse_optional_keyword("none") is None:
            parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_axis)
        return OrderOp(axes, kinds)

    def print(self, printer: Printer) -> None:
        def print_axis(leaf: tuple[SSAValue, LoopKind]) -> None:
            printer.print_operand(leaf[0])
            if leaf[1] is not LoopKind.SERIAL:
                printer.print_string(f" {leaf[1].value}")

        printer.print_string(" " if self.axes else " none")
        printer.print_list(self.leaves, print_axis)
