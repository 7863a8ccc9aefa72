"""`loop.element_count`: the number of elements of a buffer of symbolic extents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.loop.control import INDEX
from teloom.dialects.upstream.affine import Simplifies, composed
from teloom.dialects.upstream.arith import constant_index

MANY = 2**61
"""Where a count of elements ends: no system has as many bytes."""


def product_of(extents: Iterable[int]) -> int:
    """How many elements a buffer of these extents has."""
    return min(prod(max(0, extent) for extent in extents), MANY)


def factors(extents: Sequence[AffineExpr]) -> list[AffineExpr]:
    """Extents of as many elements, of which only the last one may be constant, or the only one."""
    kept = [one for one in extents if not isinstance(one, AffineConstantExpr)]
    factor = product_of(one.value for one in extents if isinstance(one, AffineConstantExpr))
    if not kept or not factor:
        return [AffineExpr.constant(factor)]
    return [*kept, AffineExpr.constant(factor)] if factor > 1 else kept


class SimplifyCount(RewritePattern):
    """Constant extents are one factor; where all are constant, so is the count."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ElementCountOp)
        map, operands = composed(op, op.map)
        extents = factors(map.data.results)
        if isinstance(extents[0], AffineConstantExpr):
            rewriter.replace(op, constant_index(extents[0].value))
            return
        new = ElementCountOp(extents, operands)
        if new.map != op.map or [*new.operands] != [*op.operands]:
            rewriter.replace(op, new)


@irdl_op_definition
class ElementCountOp(IRDLOperation):
    """The product of extents: a negative extent counts as 0, and the product saturates at 2^61.

    So no product wraps to a size that a system could allocate.

    ```mlir
    func.func @padded_rows(%n: index, %m: index) -> index {
      %count = loop.element_count [%n + 4, %m, 16]
      func.return %count : index
    }
    ```

    Shape: one extent or more, in elements.
    Refused: no extent.
    Like: `memref.alloc` of several dimensions, whose size upstream multiplies as it is lowered.
    """

    name = "loop.element_count"

    operands_ = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)
    count = result_def(INDEX)

    traits = traits_def(Pure(), Simplifies(SimplifyCount))

    def __init__(self, extents: Sequence[AffineExpr], values: Sequence[SSAValue]):
        map, operands = affine.pack(extents, values)
        super().__init__(operands=[operands], properties={"map": map}, result_types=[INDEX])

    @property
    def extents(self) -> Sequence[AffineExpr]:
        """The extents, over `operands_`."""
        return self.map.data.results

    def verify_(self) -> None:
        affine.verify_map(self.map, self.operands_, "extent")
        if not self.extents:
            raise VerifyException("loop.element_count needs an extent")

    @classmethod
    def parse(cls, parser: Parser) -> ElementCountOp:
        operands = affine.OperandList()
        op = ElementCountOp(affine.parse_exprs(parser, operands), operands.values)
        op.attributes = parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        affine.print_exprs(printer, self.extents, self.operands_)
        printer.print_op_attributes(self.attributes)
