"""Affine expressions over SSA values: `%i * 2 + %n floordiv 4`, their text and their operands.

An op that holds such expressions stores one `AffineMap` whose dimensions stand for
its operands, in order of first use; this file is the one place that writes, reads
and builds that pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.parser import Parser
from xdsl.parser.core import UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine.canonical import canonical
from teloom.dialects.affine.linear_forms import MOST_DEPTH, MOST_PARTS, is_small
from teloom.dialects.affine.polynomials import Polynomial, of_expr, of_exprs, over, to_expr

_ADD, _MUL = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul
_PRECEDENCE_SUM, _PRECEDENCE_PRODUCT, _PRECEDENCE_ATOM = 0, 1, 2


class OperandList:
    """SSA values numbered in order of first use; the numbers are affine dimensions."""

    def __init__(self, values: Iterable[SSAValue] = ()):
        self.values: list[SSAValue] = []
        self._position: dict[SSAValue, int] = {}
        for value in values:
            self.dim(value)

    def dim(self, value: SSAValue) -> AffineExpr:
        """The dimension that stands for `value`; a new value gets the next number."""
        position = self._position.setdefault(value, len(self.values))
        if position == len(self.values):
            self.values.append(value)
        return AffineExpr.dimension(position)

    def parse(self, parser: Parser) -> AffineExpr:
        """Parses `%x` as the dimension that stands for it."""
        return self.dim(parse_operand(parser))


def pack(
    exprs: Sequence[AffineExpr], values: Sequence[SSAValue]
) -> tuple[AffineMapAttr, list[SSAValue]]:
    """The map and operands of `exprs`, whose dimension k stands for `values[k]`.

    Expressions get their canonical form. Unused values are dropped, equal ones merged, and the
    rest numbered by first use.
    """
    return pack_forms(of_exprs(exprs, values))


def pack_forms(forms: Iterable[Polynomial]) -> tuple[AffineMapAttr, list[SSAValue]]:
    """The map and operands of expressions that are given as polynomials of values."""
    exprs, values = exprs_of_forms(forms)
    return map_of(exprs, values), values


def exprs_of_forms(forms: Iterable[Polynomial]) -> tuple[list[AffineExpr], list[SSAValue]]:
    """Expressions that are given as polynomials of values, and the values of their dimensions."""
    operands = OperandList()
    return [to_expr(form, operands.dim) for form in forms], operands.values


def pack_lists(
    lists: Sequence[Sequence[AffineExpr]], values: Sequence[SSAValue]
) -> tuple[list[AffineMapAttr], list[SSAValue]]:
    """A map for each list of expressions, and the operands of all of them, as `pack` finds them."""
    packed, operands = exprs_of_forms(of_exprs([expr for exprs in lists for expr in exprs], values))
    found = iter(packed)
    return [map_of([next(found) for _ in exprs], operands) for exprs in lists], operands


def substitute(
    exprs: Sequence[AffineExpr],
    operands: Sequence[SSAValue],
    replacements: Mapping[SSAValue, tuple[AffineExpr, Sequence[SSAValue]]],
) -> tuple[AffineMapAttr, list[SSAValue]]:
    """`exprs` over `operands` with some operands replaced by expressions of other values."""

    def form(operand: SSAValue) -> Polynomial:
        if operand not in replacements:
            return Polynomial.of(operand)
        expr, values = replacements[operand]
        return of_exprs([expr], values)[0]

    leaf = over([form(operand) for operand in operands])
    return pack_forms(of_expr(expr, leaf) for expr in exprs)


def parse_operand(parser: Parser) -> SSAValue:
    """Parses `%x`, a value that is defined above; its type is the value's own."""
    return resolved(parser, parser.parse_unresolved_operand())


def resolved(parser: Parser, unresolved: UnresolvedOperand) -> SSAValue:
    """The value of that name that is defined above."""
    values = parser.ssa_values.get(unresolved.operand_name)
    if values is None or unresolved.index >= len(values):
        parser.raise_error(
            f"value %{unresolved.operand_name} is not defined above this use",
            unresolved.span,
        )
    return values[unresolved.index]


def parse_expr(parser: Parser, operands: OperandList, depth: int = 0) -> AffineExpr:
    """Parses a sum of products, appending its values to `operands`; `depth` counts parentheses."""
    start = parser.pos
    expr = _parse_product(parser, operands, depth)
    while True:
        if parser.parse_optional_punctuation("+"):
            expr = expr + _parse_product(parser, operands, depth)
        elif parser.parse_optional_punctuation("-"):
            expr = expr + _parse_product(parser, operands, depth) * -1
        else:
            break
    if is_small(expr):
        return expr
    expr = canonical(expr)
    if not is_small(expr):
        parser.raise_error(_TOO_LARGE, start, parser.pos)
    return expr


_TOO_LARGE = (
    f"an expression of more than {MOST_PARTS} parts, or nested more than {MOST_DEPTH} deep; give "
    "parts of it a value by affine.apply"
)


def _parse_product(parser: Parser, operands: OperandList, depth: int) -> AffineExpr:
    expr = _parse_atom(parser, operands, depth)
    while True:
        position = parser.pos
        if parser.parse_optional_punctuation("*"):
            rhs = _parse_atom(parser, operands, depth)
            if not isinstance(expr, AffineConstantExpr) and not isinstance(rhs, AffineConstantExpr):
                parser.raise_error("a product of two values is not affine", position, parser.pos)
            expr = expr * rhs
            continue
        word = parser.parse_optional_keyword_in(("floordiv", "ceildiv", "mod"))
        if word is None:
            return expr
        divisor = parser.parse_integer(allow_boolean=False, allow_negative=False)
        if divisor == 0:
            parser.raise_error(f"{word} by 0", position, parser.pos)
        match word:
            case "floordiv":
                expr = expr // divisor
            case "ceildiv":
                expr = expr.ceil_div(divisor)
            case _:
                expr = expr % divisor


def _parse_atom(parser: Parser, operands: OperandList, depth: int) -> AffineExpr:
    if depth > MOST_DEPTH:
        parser.raise_error(_TOO_LARGE)
    if parser.parse_optional_punctuation("("):
        expr = parse_expr(parser, operands, depth + 1)
        parser.parse_punctuation(")")
        return expr
    if parser.parse_optional_punctuation("-"):
        return _parse_atom(parser, operands, depth + 1) * -1
    number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    if number is not None:
        return AffineExpr.constant(number)
    return operands.parse(parser)


def parse_exprs(parser: Parser, operands: OperandList) -> list[AffineExpr]:
    """Parses what `print_exprs` prints."""
    return parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parse_expr(parser, operands)
    )


def parse_bound(parser: Parser, operands: OperandList, word: str) -> list[AffineExpr]:
    """Parses one expression, or `word(a, b, ...)`; word is `max` or `min`."""
    if parser.parse_optional_keyword(word) is None:
        return [parse_expr(parser, operands)]
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parse_expr(parser, operands)
    )


def parse_range(parser: Parser, operands: OperandList) -> tuple[list[AffineExpr], list[AffineExpr]]:
    """Parses `max(a, b, ...) to min(c, d, ...)`, on both sides what `parse_bound` parses."""
    lower = parse_bound(parser, operands, "max")
    parser.parse_keyword("to")
    return lower, parse_bound(parser, operands, "min")


def map_of(exprs: Sequence[AffineExpr], operands: Sequence[SSAValue]) -> AffineMapAttr:
    """The map with these results over all of `operands`."""
    return AffineMapAttr(AffineMap(len(operands), 0, tuple(exprs)))


def print_bound(
    printer: Printer, exprs: Sequence[AffineExpr], operands: Sequence[SSAValue], word: str
) -> None:
    """Prints what `parse_bound` reads."""
    if len(exprs) == 1:
        print_expr(printer, exprs[0], operands)
        return
    printer.print_string(word)
    print_exprs(printer, exprs, operands, "()")


def print_range(
    printer: Printer, lower: AffineMapAttr, upper: AffineMapAttr, operands: Sequence[SSAValue]
) -> None:
    """Prints what `parse_range` reads."""
    print_bound(printer, lower.data.results, operands, "max")
    printer.print_string(" to ")
    print_bound(printer, upper.data.results, operands, "min")


def print_exprs(
    printer: Printer,
    exprs: Sequence[AffineExpr],
    operands: Sequence[SSAValue],
    brackets: str = "[]",
) -> None:
    """Prints a comma-separated, bracketed list of expressions."""
    printer.print_string(brackets[0])
    printer.print_list(exprs, lambda expr: print_expr(printer, expr, operands))
    printer.print_string(brackets[1])


def print_expr(printer: Printer, expr: AffineExpr, operands: Sequence[SSAValue]) -> None:
    """Prints what `parse_expr` reads."""
    for piece in text_pieces(expr):
        if isinstance(piece, str):
            printer.print_string(piece)
        else:
            printer.print_operand(operands[piece.position])


def text_pieces(
    expr: AffineExpr, context: int = _PRECEDENCE_SUM
) -> Iterator[str | AffineDimExpr | AffineSymExpr]:
    """The text of `expr` in pieces, in parentheses where `context` binds tighter.

    Dimensions and symbols stand where their names come.
    """
    match expr:
        case AffineDimExpr() | AffineSymExpr():
            yield expr
        case AffineConstantExpr():
            yield str(expr.value)
        case AffineBinaryOpExpr():
            own = _PRECEDENCE_SUM if expr.kind is _ADD else _PRECEDENCE_PRODUCT
            if own < context:
                yield "("
            yield from text_pieces(expr.lhs, own)
            if expr.kind is _ADD:
                positive = _negated(expr.rhs)
                yield " + " if positive is None else " - "
                yield from text_pieces(positive or expr.rhs, _PRECEDENCE_PRODUCT)
            else:
                yield f" {expr.kind.get_token()} "
                yield from text_pieces(expr.rhs, _PRECEDENCE_ATOM)
            if own < context:
                yield ")"


def text(expr: AffineExpr, operands: Sequence[SSAValue]) -> str:
    """`expr` as a message shows it: operands by their names, without `%`."""
    stream = StringIO()
    print_expr(Printer(stream), expr, operands)
    return stream.getvalue().replace("%", "")


def bound_text(exprs: Sequence[AffineExpr], operands: Sequence[SSAValue], word: str) -> str:
    """A bound as a message shows it."""
    stream = StringIO()
    print_bound(Printer(stream), exprs, operands, word)
    return stream.getvalue().replace("%", "")


def _negated(expr: AffineExpr) -> AffineExpr | None:
    """`-expr` where `expr` is visibly negative: a constant or product with one."""
    if isinstance(expr, AffineConstantExpr) and expr.value < 0:
        return AffineExpr.constant(-expr.value)
    if (
        isinstance(expr, AffineBinaryOpExpr)
        and expr.kind is _MUL
        and isinstance(expr.rhs, AffineConstantExpr)
        and expr.rhs.value < 0
    ):
        return expr.lhs * -expr.rhs.value
    return None


def verify_map(map: AffineMapAttr, operands: Sequence[SSAValue], what: str) -> None:
    """Raises `VerifyException` unless `map` is over `operands` as its dimensions."""
    if map.data.num_dims != len(operands) or map.data.num_symbols:
        raise VerifyException(f"the {what} map does not fit its operands")
