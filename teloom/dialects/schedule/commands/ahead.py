"""Work ahead: what a loop of a stage does with elements that a later iteration needs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.bodies.preorder import ops_of
from teloom.dialects.schedule.numbers import NUMBER, NumberAttr
from teloom.dialects.schedule.relations import AXIS, axis_name
from teloom.dialects.schedule.stages.parent_stage import OpInStage
from teloom.dialects.schedule.stages.stage import StageOp

LARGEST_OFFSET = 2**20
"""In iterations. No cache keeps a line for longer."""

Sides = tuple[Sequence[AffineExpr], Sequence[AffineExpr]]
"""Lower and upper bounds of an axis: from the maximum of the first to the minimum of the second."""


def verify_offset(word: str, offset: NumberAttr, axis: SSAValue) -> None:
    """Raises VerifyException unless the offset is in 0 .. LARGEST_OFFSET."""
    if not 0 <= offset.value.data <= LARGEST_OFFSET:
        raise VerifyException(
            f"{word} at axis {axis_name(axis)} with offset {offset.value.data}: it must be in "
            f"0 .. {LARGEST_OFFSET}"
        )


class AheadOp(OpInStage):
    """Base of the ops by which each iteration of a loop works ahead for a later one.

    The op touches the elements of a tensor that the iteration `offset` later needs. `bounds` are
    their box, once inferred. `WORD` is its verb in messages, as in "B prefetches A". It stands
    behind the stages that are computed in the loops, as the tensor may be a result of one.
    """

    WORD: ClassVar[str]

    tensor = operand_def(TensorType)
    axis = operand_def(AXIS)
    operands_ = var_operand_def()
    offset = prop_def(NUMBER)
    lowers = opt_prop_def(ArrayAttr[AffineMapAttr])
    uppers = opt_prop_def(ArrayAttr[AffineMapAttr])

    def __init__(
        self,
        tensor: SSAValue,
        axis: SSAValue,
        offset: int,
        bounds: Sequence[Sides] | None = None,
        values: Sequence[SSAValue] = (),
    ):
        """`bounds` are expressions of `values`, which are axes and sizes."""
        sides = [side for pair in bounds or () for side in pair]
        maps, operands = affine.pack_lists(sides, values)
        super().__init__(
            operands=[tensor, axis, operands],
            properties={
                "offset": NumberAttr.of(offset),
                "lowers": None if bounds is None else ArrayAttr(maps[::2]),
                "uppers": None if bounds is None else ArrayAttr(maps[1::2]),
            },
        )

    @abstractmethod
    def access(
        self, tensor: SSAValue, subscripts: Sequence[AffineExpr], values: Sequence[SSAValue]
    ) -> Operation:
        """The op of level `loop` that does the work for one element of a region."""

    @property
    def bounds(self) -> list[Sides] | None:
        """The bounds per axis of the tensor, over `operands_`; None before they are inferred."""
        if self.lowers is None or self.uppers is None:
            return None
        sides = zip(self.lowers, self.uppers, strict=True)
        return [(lower.data.results, upper.data.results) for lower, upper in sides]

    def verify_(self) -> None:
        verify_offset(self.WORD, self.offset, self.axis)
        if self.axis not in self.stage.order.axes:
            raise VerifyException(
                f"{self.WORD} at {axis_name(self.axis)}, which is no leaf axis of stage "
                f'"{self.stage.stage_name.data}"'
            )
        if self.lowers is None and self.uppers is None:
            return
        assert isinstance(self.tensor.type, TensorType)
        rank = len(self.tensor.type.get_shape())
        for maps in (self.lowers, self.uppers):
            if maps is None or len(maps) != rank:
                raise VerifyException(f"bounds of another number of axes than {self.tensor.type}")
            for map in maps:
                affine.verify_map(map, self.operands_, "bound")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        tensor = affine.parse_operand(parser)
        parser.parse_keyword("at")
        axis = affine.parse_operand(parser)
        parser.parse_keyword("offset")
        offset = parser.parse_integer(allow_boolean=False)
        operands = affine.OperandList()
        bounds = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: affine.parse_range(parser, operands)
        )
        return cls(tensor, axis, offset, bounds, operands.values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.tensor)
        printer.print_string(" at ")
        printer.print_operand(self.axis)
        printer.print_string(f" offset {self.offset.value.data}")
        if self.lowers is None or self.uppers is None:
            return
        sides = zip(self.lowers, self.uppers, strict=True)
        printer.print_string(" [")
        printer.print_list(sides, lambda side: affine.print_range(printer, *side, self.operands_))
        printer.print_string("]")


def ahead_in(stage: StageOp) -> list[AheadOp]:
    """The ops by which the loops of a stage work ahead."""
    return ops_of(stage.body.block, AheadOp)
