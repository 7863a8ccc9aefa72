"""Boxes in text: `[offset : extent, ...]`, a pair of affine expressions per axis."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, IntegerType, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

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
    return parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: _parse_side(parser, operands)
    )


def parse_stored_box(
    parser: Parser, operands: affine.OperandList
) -> tuple[list[tuple[AffineExpr, AffineExpr]], list[int]]:
    """Parses `[offset : extent fold factor, ...]`; a factor of 0 is not written."""

    def parse_side() -> tuple[tuple[AffineExpr, AffineExpr], int]:
        side = _parse_side(parser, operands)
        if parser.parse_optional_keyword("fold") is None:
            return side, 0
        return side, parser.parse_integer(allow_boolean=False, allow_negative=False)

    sides = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_side)
    return [side for side, _ in sides], [factor for _, factor in sides]


def _parse_side(parser: Parser, operands: affine.OperandList) -> tuple[AffineExpr, AffineExpr]:
    offset = affine.parse_expr(parser, operands)
    parser.parse_punctuation(":")
    return offset, affine.parse_expr(parser, operands)


def print_box(
    printer: Printer,
    offsets: AffineMapAttr,
    extents: AffineMapAttr,
    operands: Sequence[SSAValue],
    folds: Sequence[int] = (),
) -> None:
    """Prints what `parse_box` reads, or with `folds` what `parse_stored_box` reads."""

    def print_side(axis: int) -> None:
        affine.print_expr(printer, offsets.data.results[axis], operands)
        printer.print_string(" : ")
        affine.print_expr(printer, extents.data.results[axis], operands)
        if folds and folds[axis]:
            printer.print_string(f" fold {folds[axis]}")

    printer.print_string("[")
    printer.print_list(range(len(offsets.data.results)), print_side)
    printer.print_string("]")


def pack_folds(folds: Sequence[int]) -> DenseArrayBase[IntegerType] | None:
    """The factor per axis modulo which it is stored, 0 where it is not folded."""
    return DenseArrayBase.from_list(i64, folds) if any(folds) else None


def folds_in(packed: DenseArrayBase[IntegerType] | None, axes: int) -> list[int]:
    """What `pack_folds` packed."""
    return [0] * axes if packed is None else list(packed.get_values())


def verify_folds(packed: DenseArrayBase[IntegerType] | None, axes: int) -> None:
    if packed is None:
        return
    if len(packed) != axes:
        raise VerifyException(f"{len(packed)} factors to fold by for {axes} axes")
    for factor in folds_in(packed, axes):
        if factor < 0:
            raise VerifyException(f"cannot fold by {factor}: a factor is at least 1")
