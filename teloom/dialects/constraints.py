"""Affine constraints in text: `(a >= 0, b == 0, ...)`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.parser import Parser
from xdsl.printer import Printer

from teloom.dialects import affine_operands as affine


def parse_constraints(
    parser: Parser, operands: affine.OperandList
) -> tuple[list[AffineExpr], list[AffineExpr]]:
    """Parses `(a >= 0, b == 0, ...)` into equalities and inequalities."""
    equalities: list[AffineExpr] = []
    inequalities: list[AffineExpr] = []

    def parse_constraint() -> None:
        expr = affine.parse_expr(parser, operands)
        if parser.parse_optional_punctuation(">"):
            found = inequalities
        else:
            parser.parse_punctuation("=", " in `== 0` or `>= 0`")
            found = equalities
        parser.parse_punctuation("=")
        if parser.parse_integer() != 0:
            parser.raise_error("a constraint compares with 0")
        found.append(expr)

    parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_constraint)
    return equalities, inequalities


def print_constraints(
    printer: Printer,
    constraints: AffineMapAttr,
    equalities: int,
    operands: Sequence[SSAValue],
) -> None:
    """Prints what `parse_constraints` reads, equalities first."""

    def print_constraint(position: int) -> None:
        affine.print_expr(printer, constraints.data.results[position], operands)
        printer.print_string(" == 0" if position < equalities else " >= 0")

    printer.print_string("(")
    printer.print_list(range(len(constraints.data.results)), print_constraint)
    printer.print_string(")")
