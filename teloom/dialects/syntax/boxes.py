"""The syntax of boxes, `[offset : extent, ...]`: a pair of affine expressions per axis."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.parser import Parser
from xdsl.printer import Printer

from teloom.dialects.affine import operands as affine


def pack_box(
    box: Sequence[tuple[AffineExpr, AffineExpr]], values: Sequence[SSAValue]
) -> tuple[list[SSAValue], AffineMapAttr, AffineMapAttr]:
    """Operands, offsets and extents of (offset, extent) pairs over `values`."""
    packed, operands = affine.pack([expr for pair in box for expr in pair], values)
    exprs = packed.data.results
    return operands, affine.map_of(exprs[::2], operands), affine.map_of(exprs[1::2], operands)


def parse_box(parser: Parser, operands: affine.OperandList) -> list[tuple[AffineExpr, AffineExpr]]:
    """Parses `[offset : extent, ...]`."""

    def parse_side() -> tuple[AffineExpr, AffineExpr]:
        offset = affine.parse_expr(parser, operands)
        parser.parse_punctuation(":")
        return offset, affine.parse_expr(parser, operands)

    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_side)


def print_box(
    printer: Printer, offsets: AffineMapAttr, extents: AffineMapAttr, operands: Sequence[SSAValue]
) -> None:
    """Prints the box that `parse_box` reads."""

    def print_side(axis: int) -> None:
        affine.print_expr(printer, offsets.data.results[axis], operands)
        printer.print_string(" : ")
        affine.print_expr(printer, extents.data.results[axis], operands)

    printer.print_string("[")
    printer.print_list(range(len(offsets.data.results)), print_side)
    printer.print_string("]")
