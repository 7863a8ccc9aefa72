"""One form of an affine expression: `f floordiv 8`, not `((f - 5) * -1 + 4) floordiv 8 * -1`.

Like terms are joined, positive ones come first, the constant last. A quotient holds nothing
that its divisor divides, and no term is negative in it if all are. What is left of a sum
beside a quotient is written with `mod`, and `(x + 7) floordiv 8` as `x ceildiv 8`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
)


def canonical(expr: AffineExpr) -> AffineExpr:
    """The form of `expr`; divisions by something else than a positive constant stay."""
    return _expr(_sum(expr))


def canonical_zero(expr: AffineExpr) -> AffineExpr:
    """The form of an expression that is only compared with 0: its first term is positive."""
    found = first = canonical(expr)
    while isinstance(first, AffineBinaryOpExpr) and first.kind is AffineBinaryOpKind.Add:
        first = first.lhs
    match first:
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, _, AffineConstantExpr(factor)):
            return canonical(expr * -1) if factor < 0 else found
        case _:
            return found


@dataclass(frozen=True)
class _Sum:
    """Coefficients, none of them 0, of dimensions, symbols and quotients; and a constant."""

    terms: Mapping[AffineExpr, int]
    constant: int

    def plus(self, other: _Sum, factor: int) -> _Sum:
        terms = defaultdict(int, self.terms)
        for term, coefficient in other.terms.items():
            terms[term] += coefficient * factor
        return _Sum(
            {term: c for term, c in terms.items() if c}, self.constant + other.constant * factor
        )


def _sum(expr: AffineExpr) -> _Sum:
    total = _Sum({}, 0)
    todo = [(expr, 1)]
    while todo:
        expr, factor = todo.pop()
        if isinstance(expr, AffineConstantExpr):
            total = total.plus(_Sum({}, expr.value), factor)
            continue
        if not isinstance(expr, AffineBinaryOpExpr):
            total = total.plus(_Sum({expr: 1}, 0), factor)
            continue
        if expr.kind is AffineBinaryOpKind.Add:
            todo += [(expr.rhs, factor), (expr.lhs, factor)]
            continue
        number = expr.rhs.value if isinstance(expr.rhs, AffineConstantExpr) else 0
        if expr.kind is AffineBinaryOpKind.Mul and isinstance(expr.rhs, AffineConstantExpr):
            todo.append((expr.lhs, factor * number))
        elif expr.kind is AffineBinaryOpKind.Mul or number <= 0:
            total = total.plus(_Sum({expr: 1}, 0), factor)
        elif expr.kind is AffineBinaryOpKind.FloorDiv:
            total = total.plus(_quotient(_sum(expr.lhs), number), factor)
        elif expr.kind is AffineBinaryOpKind.CeilDiv:
            # x ceildiv d -> (x + d - 1) floordiv d
            total = total.plus(_quotient(_sum(expr.lhs + (number - 1)), number), factor)
        else:
            # x mod d -> x - d * (x floordiv d)
            dividend = _sum(expr.lhs)
            total = total.plus(dividend, factor).plus(_quotient(dividend, number), factor * -number)
    return total


def _quotient(dividend: _Sum, divisor: int) -> _Sum:
    """`dividend` divided by a positive number, rounded down."""
    # (d*a + r) floordiv d -> a + r floordiv d, exact for integers of any sign
    whole = _Sum(
        {term: c // divisor for term, c in dividend.terms.items() if c % divisor == 0},
        dividend.constant // divisor,
    )
    terms = {term: c for term, c in dividend.terms.items() if c % divisor}
    if not terms:
        return whole
    # (g*r + c) floordiv (g*d) -> (r + c floordiv g) floordiv d
    common = gcd(divisor, *terms.values())
    terms = {term: c // common for term, c in terms.items()}
    constant, divisor = dividend.constant % divisor // common, divisor // common
    if divisor == 1:
        return whole.plus(_Sum(terms, constant), 1)
    sign = 1
    if all(c < 0 for c in terms.values()):
        # (-x + c) floordiv d -> -((x + d - 1 - c) floordiv d)
        sign, constant = -1, divisor - 1 - constant
        terms = {term: -c for term, c in terms.items()}
    ((first, coefficient), *others) = terms.items()
    if not others and coefficient == 1 and (inner := _division(first)):
        # (x floordiv a + c) floordiv d -> (x + a*c) floordiv (a*d)
        raised = inner.dividend.plus(_Sum({}, constant), inner.divisor)
        return whole.plus(_quotient(raised, inner.divisor * divisor), sign)
    if constant == divisor - 1:
        return whole.plus(_Sum({_expr(_Sum(terms, 0)).ceil_div(divisor): 1}, 0), sign)
    return whole.plus(_Sum({_expr(_Sum(terms, constant)) // divisor: 1}, 0), sign)


class _Division(NamedTuple):
    """`dividend floordiv divisor`."""

    dividend: _Sum
    divisor: int


def _division(expr: AffineExpr) -> _Division | None:
    """The quotient that `expr` is, in its canonical form."""
    if not isinstance(expr, AffineBinaryOpExpr) or not isinstance(expr.rhs, AffineConstantExpr):
        return None
    divisor = expr.rhs.value
    if divisor > 0 and expr.kind is AffineBinaryOpKind.FloorDiv:
        return _Division(_sum(expr.lhs), divisor)
    if divisor > 0 and expr.kind is AffineBinaryOpKind.CeilDiv:
        return _Division(_sum(expr.lhs + (divisor - 1)), divisor)
    return None


def _parts(division: _Division, terms: Iterable[AffineExpr]) -> Iterator[_Division]:
    """Of which expressions a division may be the quotient: its dividend, and those of `terms`
    that divide the same by less."""
    yield division
    for term in terms:
        inner = _division(term)
        if inner and inner.dividend == division.dividend and inner.divisor < division.divisor:
            # x floordiv (a*d) -> (x floordiv a) floordiv d
            divisor, rest = divmod(division.divisor, inner.divisor)
            if not rest:
                yield _Division(_Sum({term: 1}, 0), divisor)


def _expr(sum: _Sum) -> AffineExpr:
    terms, constant = dict(sum.terms), sum.constant
    for quotient in sum.terms:
        division = _division(quotient) if quotient in terms else None
        if division is None:
            continue
        for part, divisor in _parts(division, tuple(terms)):
            # k*x - k*d*(x floordiv d) -> (x mod d) * k
            factor, rest = divmod(-terms[quotient], divisor)
            if rest or any(terms.get(term) != c * factor for term, c in part.terms.items()):
                continue
            for term in (*part.terms, quotient):
                del terms[term]
            terms[_expr(part) % divisor] = factor
            constant -= part.constant * factor
            break
    result: AffineExpr | None = None
    for term, coefficient in sorted(terms.items(), key=lambda item: item[1] < 0):
        result = term * coefficient if result is None else result + term * coefficient
    if result is None:
        return AffineExpr.constant(constant)
    return result + constant
