"""`loop.element_count`: the number of elements of a buffer of symbolic extents."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.loop.control import INDEX


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

    traits = traits_def(Pure())

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
