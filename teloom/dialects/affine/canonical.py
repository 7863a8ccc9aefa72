"""One form of an affine expression: `f floordiv 8`, not `((f - 5) * -1 + 4) floordiv 8 * -1`.

Like terms are joined, positive ones come first, the constant last. A quotient holds nothing
that its divisor divides, and no term is negative in it if all are. What is left of a sum
beside a quotient is written with `mod`, and `(x + 7) floordiv 8` as `x ceildiv 8`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
)

from teloom.dialects.affine.fold import DIVISIONS
from teloom.dialects.affine.linear_forms import sum_of, summands


def canonical(expr: AffineExpr) -> AffineExpr:
    """The form of `expr`; divisions by something else than a positive constant stay."""
    return _expr(_sum(expr)) if type(expr) is AffineBinaryOpExpr else expr


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
    """Coefficients, none of them 0, of quotients and of other expressions; and a constant."""

    terms: Mapping[AffineExpr | _Quotient, int]
    constant: int

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Once: it goes through all the quotients inside.
        return hash((frozenset(self.terms.items()), self.constant))

    def plus(self, other: _Sum, factor: int) -> _Sum:
        return _combined([(self, 1), (other, factor)])


@dataclass(frozen=True)
class _Quotient:
    """`dividend floordiv divisor`, where nothing of it can be said outside."""

    dividend: _Sum
    divisor: int

    @cached_property
    def depth(self) -> int:
        """How many quotients are in one another."""
        return 1 + max((term.depth for term in _quotients(self.dividend)), default=0)


def _quotients(sum: _Sum) -> list[_Quotient]:
    return [term for term in sum.terms if isinstance(term, _Quotient)]


def _combined(parts: Iterable[tuple[_Sum, int]]) -> _Sum:
    """The sum of these multiples."""
    terms: dict[AffineExpr | _Quotient, int] = {}
    constant = 0
    for part, factor in parts:
        constant += part.constant * factor
        for term, coefficient in part.terms.items():
            terms[term] = terms.get(term, 0) + coefficient * factor
            if not terms[term]:
                del terms[term]
    return _Sum(terms, constant)


def _sum(expr: AffineExpr) -> _Sum:
    return _combined((_summand(part), factor) for part, factor in summands((expr, 1)))


def _summand(part: AffineExpr) -> _Sum:
    if type(part) is AffineConstantExpr:
        return _Sum({}, part.value)
    if type(part) is not AffineBinaryOpExpr or part.kind not in DIVISIONS:
        return _Sum({part: 1}, 0)
    if type(part.rhs) is not AffineConstantExpr or part.rhs.value <= 0:
        return _Sum({part: 1}, 0)
    dividend, divisor = _sum(part.lhs), part.rhs.value
    if part.kind is AffineBinaryOpKind.FloorDiv:
        return _quotient(dividend, divisor)
    if part.kind is AffineBinaryOpKind.CeilDiv:
        # x ceildiv d -> (x + d - 1) floordiv d
        return _quotient(dividend.plus(_Sum({}, divisor - 1), 1), divisor)
    # x mod d -> x - d * (x floordiv d)
    return dividend.plus(_quotient(dividend, divisor), -divisor)


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
    if not others and coefficient == 1 and isinstance(first, _Quotient):
        # (x floordiv a + c) floordiv d -> (x + a*c) floordiv (a*d)
        raised = first.dividend.plus(_Sum({}, constant), first.divisor)
        return whole.plus(_quotient(raised, first.divisor * divisor), sign)
    return whole.plus(_Sum({_Quotient(_Sum(terms, constant), divisor): 1}, 0), sign)


def _divided_alike(quotient: _Quotient, terms: Iterable[_Quotient]) -> Iterator[_Quotient]:
    """As which quotients one can be read: as it is, and as one of those of `terms` that divide
    the same by less."""
    yield quotient
    for term in sorted(terms, key=_reading_order):
        if term.divisor >= quotient.divisor:
            continue
        divisor, rest = divmod(quotient.divisor, term.divisor)
        if not rest and term.dividend == quotient.dividend:
            # x floordiv (a*d) -> (x floordiv a) floordiv d
            yield _Quotient(_Sum({term: 1}, 0), divisor)


def _expr(sum: _Sum) -> AffineExpr:
    terms, constant = dict(sum.terms), sum.constant
    # Outer ones first: what is left of an inner one can be a part of what an outer one divides.
    for quotient in sorted(_quotients(sum), key=_reading_order):
        if quotient not in terms:
            continue
        for read in _divided_alike(quotient, filter(terms.__contains__, _quotients(sum))):
            part, divisor = read.dividend, read.divisor
            # k*x - k*d*(x floordiv d) -> (x mod d) * k
            factor, rest = divmod(-terms[quotient], divisor)
            if rest or any(terms.get(term) != c * factor for term, c in part.terms.items()):
                continue
            for term in (*part.terms, quotient):
                del terms[term]
            terms[_expr(part) % divisor] = factor
            constant -= part.constant * factor
            break
    positive_first = sorted(terms.items(), key=lambda item: item[1] < 0)
    made = ((_division(t) if isinstance(t, _Quotient) else t, c) for t, c in positive_first)
    return sum_of(made, constant)


def _reading_order(quotient: _Quotient) -> tuple[int, int, int]:
    """Deep ones, those of many terms and by large divisors first, however the sum is ordered."""
    return -quotient.depth, -len(quotient.dividend.terms), -quotient.divisor


def _division(quotient: _Quotient) -> AffineExpr:
    dividend, divisor = quotient.dividend, quotient.divisor
    if dividend.constant == divisor - 1:
        return _expr(_Sum(dividend.terms, 0)).ceil_div(divisor)
    return _expr(dividend) // divisor
