"""Affine conditions: `(a >= 0, b == 0) or (c >= 0)`, in ops and in text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import IRDLOperation, prop_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.canonical import canonical_zero
from teloom.dialects.affine.conjunctions import Conjunction


class ConditionOp(IRDLOperation):
    """Base of the ops with a condition: alternatives, one of which has to hold.

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

    def verify_(self) -> None:
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
            print_conjunction(printer, alternative, self.operands_)


def print_conjunction(printer: Printer, said: Conjunction, operands: Sequence[SSAValue]) -> None:
    """Prints what `parse_conjunction` reads."""

    def print_constraint(constraint: tuple[AffineExpr, str]) -> None:
        affine.print_expr(printer, constraint[0], operands)
        printer.print_string(constraint[1])

    constraints = [(expr, " == 0") for expr in said.equalities]
    constraints += [(expr, " >= 0") for expr in said.inequalities]
    printer.print_string("(")
    printer.print_list(constraints, print_constraint)
    printer.print_string(")")


def _take(exprs: Iterator[AffineExpr], count: int) -> list[AffineExpr]:
    return [next(exprs) for _ in range(count)]


def pack_condition(
    alternatives: Sequence[Conjunction], values: Sequence[SSAValue]
) -> tuple[list[SSAValue], AffineMapAttr, DenseArrayBase]:
    """Operands, constraints and counts of alternatives over `values`."""
    exprs, counts = exprs_and_counts(alternatives)
    packed, operands = affine.pack(exprs, values)
    return operands, packed, counts


def exprs_and_counts(
    alternatives: Sequence[Conjunction],
) -> tuple[list[AffineExpr], DenseArrayBase]:
    """The expressions of alternatives in a row, and how many each has, as `ConditionOp` holds."""
    exprs: list[AffineExpr] = []
    for equalities, inequalities in alternatives:
        exprs += map(canonical_zero, equalities)
        exprs += inequalities
    counts = [len(part) for alternative in alternatives for part in alternative]
    return exprs, DenseArrayBase.from_list(i64, counts)


def parse_condition(parser: Parser, operands: affine.OperandList) -> list[Conjunction]:
    """Parses `(a >= 0, b == 0, ...) or (...)`."""
    alternatives = [parse_conjunction(parser, operands)]
    while parser.parse_optional_keyword("or"):
        alternatives.append(parse_conjunction(parser, operands))
    return alternatives


def parse_conjunction(parser: Parser, operands: affine.OperandList) -> Conjunction:
    """Parses `(a >= 0, b == 0, ...)`."""
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
            words = "a constraint compares with 0; write %a - 3 >= 0 for what is at least 3"
            parser.raise_error(words, place, parser.pos)
        kind.append(expr)

    parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_constraint)
    return found
