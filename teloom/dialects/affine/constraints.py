"""Affine conditions: `(a >= 0, b == 0) or (c >= 0)`, in ops and in text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import IRDLOperation, prop_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.canonical import canonical_zero


class Conjunction(NamedTuple):
    """Expressions that are all 0, and expressions of which none is negative."""

    equalities: list[AffineExpr]
    inequalities: list[AffineExpr]

    def map(self, function: Callable[[AffineExpr], AffineExpr]) -> Conjunction:
        return Conjunction([*map(function, self.equalities)], [*map(function, self.inequalities)])


class ConditionOp(IRDLOperation):
    """Base of the ops with a condition: alternatives, of which one has to hold.

    `constraints` has the expressions of all alternatives in a row, equalities first;
    `counts` says how many equalities and inequalities each alternative has.
    """

    operands_ = var_operand_def()
    constraints = prop_def(AffineMapAttr)
    counts = prop_def(DenseArrayBase.constr(i64))

    @property
    def alternatives(self) -> list[Conjunction]:
        """Over `operands_`."""
        exprs = iter(self.constraints.data.results)
        counts = iter(self.counts.get_values())
        return [
            Conjunction(_take(exprs, equalities), _take(exprs, inequalities))
            for equalities, inequalities in zip(counts, counts, strict=True)
        ]

    def verify_condition(self) -> None:
        counts = self.counts.get_values()
        exprs = self.constraints.data.results
        if len(counts) % 2 or min(counts, default=0) < 0 or sum(counts) != len(exprs):
            raise VerifyException(f"counts {list(counts)} do not fit {len(exprs)} constraints")
        if not counts or not all(a + b for a, b in zip(counts[::2], counts[1::2], strict=True)):
            raise VerifyException("a condition needs a constraint in each alternative")
        if self.constraints.data.num_dims != len(self.operands_):
            raise VerifyException("the constraint map does not fit its operands")

    def print_condition(self, printer: Printer) -> None:
        """Prints what `parse_condition` reads."""
        for position, alternative in enumerate(self.alternatives):
            if position:
                printer.print_string(" or ")
            self._print_alternative(printer, alternative)

    def _print_alternative(self, printer: Printer, alternative: Conjunction) -> None:
        def print_constraint(constraint: tuple[AffineExpr, str]) -> None:
            affine.print_expr(printer, constraint[0], self.operands_)
            printer.print_string(constraint[1])

        constraints = [(expr, " == 0") for expr in alternative.equalities]
        constraints += [(expr, " >= 0") for expr in alternative.inequalities]
        printer.print_string("(")
        printer.print_list(constraints, print_constraint)
        printer.print_string(")")


def _take(exprs: Iterator[AffineExpr], count: int) -> list[AffineExpr]:
    return [next(exprs) for _ in range(count)]


def pack_condition(
    alternatives: Sequence[Conjunction], values: Sequence[SSAValue]
) -> tuple[list[SSAValue], AffineMapAttr, DenseArrayBase]:
    """Operands, constraints and counts of alternatives over `values`."""
    exprs: list[AffineExpr] = []
    for equalities, inequalities in alternatives:
        exprs += map(canonical_zero, equalities)
        exprs += inequalities
    counts = [len(part) for alternative in alternatives for part in alternative]
    packed, operands = affine.pack(exprs, values)
    return operands, packed, DenseArrayBase.from_list(i64, counts)


def parse_condition(parser: Parser, operands: affine.OperandList) -> list[Conjunction]:
    """Parses `(a >= 0, b == 0, ...) or (...)`."""
    alternatives = [_parse_alternative(parser, operands)]
    while parser.parse_optional_keyword("or"):
        alternatives.append(_parse_alternative(parser, operands))
    return alternatives


def _parse_alternative(parser: Parser, operands: affine.OperandList) -> Conjunction:
    found = Conjunction([], [])

    def parse_constraint() -> None:
        expr = affine.parse_expr(parser, operands)
        if parser.parse_optional_punctuation(">"):
            kind = found.inequalities
        else:
            parser.parse_punctuation("=", " in `== 0` or `>= 0`")
            kind = found.equalities
        parser.parse_punctuation("=")
        place = parser.pos
        if parser.parse_integer() != 0:
            parser.raise_error("a constraint compares with 0", place, parser.pos)
        kind.append(expr)

    parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_constraint)
    return found
