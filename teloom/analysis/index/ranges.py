"""Ranges of index values and of their quotients, by the constant bounds of loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.dialects import loop
from teloom.dialects.affine.linear_forms import linear_terms
from teloom.dialects.affine.polynomials import Monomial, Polynomial, Quotient

Interval = tuple[int, int]
"""The least and the greatest value."""


def _constants(map: AffineMapAttr) -> list[int]:
    return [expr.value for expr in map.data.results if isinstance(expr, AffineConstantExpr)]


def range_of_counter(value: SSAValue) -> Interval | None:
    """The values of the counter of a loop with constant bounds; None for another value."""
    if not isinstance(value, BlockArgument):
        return None
    op = value.owner.parent_op()
    if not isinstance(op, loop.ForOp):
        return None
    lowers, uppers = _constants(op.lower), _constants(op.upper)
    return (max(lowers), min(uppers) - 1) if lowers and uppers else None


def _range_of_value(value: SSAValue) -> Interval | None:
    """The values of a counter, or of the least of some sums of counters."""
    op = value.owner
    if not isinstance(op, affine.MinOp):
        return range_of_counter(value)
    found = [_range_of_expr(expr, op.operands) for expr in op.map.data.results]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    return min(low for low, _ in known), min(high for _, high in known)


def _range_of_expr(expr: AffineExpr, operands: Sequence[SSAValue]) -> Interval | None:
    terms = linear_terms((expr, 1))
    counted = [(range_of_counter(operands[dim]), factor) for dim, factor in terms.linear.items()]
    return None if terms.divisions else _sum([*counted, ((1, 1), terms.constant)])


def _range_of_monomial(monomial: Monomial) -> Interval | None:
    if len(monomial) != 1:
        return None
    (atom,) = monomial
    if not isinstance(atom, Quotient):
        return _range_of_value(atom)
    inside = range_of(atom.dividend.terms.items())
    return inside and (inside[0] // atom.divisor, inside[1] // atom.divisor)


def range_of(terms: Iterable[tuple[Monomial, int]]) -> Interval | None:
    """Bounds of a sum of multiples of monomials, if all of them are bounded."""
    return _sum(
        (_range_of_monomial(monomial) if monomial else (1, 1), factor) for monomial, factor in terms
    )


def _sum(parts: Iterable[tuple[Interval | None, int]]) -> Interval | None:
    """Bounds of a sum of multiples, if all are bounded."""
    low = high = 0
    for found, factor in parts:
        if found is None:
            return None
        ends = found[0] * factor, found[1] * factor
        low, high = low + min(ends), high + max(ends)
    return low, high


def settle(polynomial: Polynomial) -> Polynomial:
    """The polynomial without what ranges show to be lost in its quotients."""
    for monomial, coefficient in tuple(polynomial.terms.items()):
        if len(monomial) == 1 and isinstance(quotient := monomial[0], Quotient):
            settled = _settle_quotient(quotient)
            if settled is not None:
                polynomial = polynomial - Polynomial({monomial: coefficient})
                polynomial = polynomial + settled.times(coefficient)
    return polynomial


def _settle_quotient(quotient: Quotient) -> Polynomial | None:
    """The quotient without the small terms of its dividend that cannot change it.

    Where all other terms are multiples of a divisor g of the quotient's divisor, and
    the small ones stay between two multiples of g, only the lower one counts: the rest is lost in
    rounding down.
    """
    dividend = settle(quotient.dividend)
    terms = sorted(dividend.terms.items(), key=lambda term: (bool(term[0]), abs(term[1])))
    for count in range(len(terms), 0, -1):
        kept = dict(terms[count:])
        small = range_of(terms[:count])
        period = gcd(quotient.divisor, *kept.values())
        lower = small[0] // period * period if small is not None else 0
        if small not in (None, (lower, lower)) and small[1] < lower + period:
            return (Polynomial(kept) + Polynomial.constant(lower)).floordiv(quotient.divisor)
    return None if dividend is quotient.dividend else dividend.floordiv(quotient.divisor)
