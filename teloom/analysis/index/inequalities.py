"""Proofs that an index expression is never negative, from the bounds of what it is made of.

A value is replaced by one of its bounds, the one that is known last first, until only a number is
left: one way through Fourier's and Motzkin's elimination. That takes microseconds where an integer
set takes a millisecond. Where it finds no proof, there can still be one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import gcd
from typing import NamedTuple

from teloom.dialects.affine.polynomials import Atom, Monomial, Polynomial, Quotient, add_terms

MOST_STEPS = 300
"""Replacements that a proof may try."""

Terms = Mapping[Monomial, int]


class Bound(NamedTuple):
    """`factor * value` is at least, or at most, this sum; the factor is positive."""

    factor: int
    terms: Terms


class _Known(NamedTuple):
    """What is known of a value; its bounds are over values of lower ranks."""

    rank: tuple[int, int]
    lower: tuple[Bound, ...] = ()
    upper: tuple[Bound, ...] = ()


class Inequalities:
    """Bounds of values. A monomial counts as a value; a quotient has the bounds of a quotient."""

    def __init__(self, is_size: Callable[[object], bool]):
        """Values for which `is_size` holds are never negative."""
        self._is_size = is_size
        self._known: dict[Monomial, _Known] = {}
        self._count = 0
        self._steps = 0

    def copy(self) -> Inequalities:
        """A copy of the bounds, to which others can be added."""
        copied = Inequalities(self._is_size)
        copied._known = {**self._known}
        copied._count = self._count
        return copied

    def add_value(self, value: Monomial) -> None:
        """Adds a value, whose bounds are over values that are there, or sizes."""
        self._count += 1
        self._known[value] = _Known((self._count, 0))

    def add(self, expr: Polynomial) -> None:
        """Adds that an expression is not negative: a bound of the value in it of highest rank."""
        terms = {**expr.terms}
        value = self._last(terms)
        if value is None:
            return
        factor = terms.pop(value)
        known = self._of(value)
        if factor > 0:
            bound = Bound(factor, {m: -c for m, c in terms.items()})
            self._known[value] = known._replace(lower=(*known.lower, bound))
        else:
            self._known[value] = known._replace(upper=(*known.upper, Bound(-factor, terms)))

    def add_equal(self, expr: Polynomial) -> None:
        """Adds that an expression is 0."""
        self.add(expr)
        self.add(expr.times(-1))

    def hold(self, *exprs: Polynomial) -> bool:
        """Whether it is proved that none of the expressions is ever negative."""
        return all(self._holds(expr) for expr in exprs)

    def are_equal(self, left: Polynomial, right: Polynomial) -> bool:
        """Whether it is proved that two expressions are always equal."""
        difference = left - right
        return not difference.terms or self.hold(difference, difference.times(-1))

    def divided(self, expr: Polynomial) -> Polynomial:
        """The same value, with each quotient carried out of which the remainder is known.

        `(1518 * q + 216) floordiv 217` is `7 * q` if q is between 0 and 216: 217 is 1519 by 7.
        """

        @cache
        def given(atom: Atom) -> Polynomial:
            if not isinstance(atom, Quotient):
                return Polynomial.of(atom)
            found = atom.dividend.with_factors(given).floordiv(atom.divisor)
            return found.with_factors(self._divided)

        return expr.with_factors(given)

    def _divided(self, atom: Atom) -> Polynomial:
        if isinstance(atom, Quotient):
            divisor, terms = atom.divisor, atom.dividend.terms
            nearest = {m: (c + divisor // 2) // divisor for m, c in terms.items() if m}
            found = Polynomial({m: c for m, c in nearest.items() if c})
            remainder = atom.dividend.plus(found, -divisor)
            if self.hold(remainder, Polynomial.constant(divisor - 1) - remainder):
                return found
        return Polynomial.of(atom)

    def _holds(self, expr: Polynomial) -> bool:
        self._steps = MOST_STEPS
        return self._is_proved(expr.terms, 1)

    def _is_proved(self, terms: Terms, scale: int) -> bool:
        """Whether `terms`, which is an integer times `scale`, is above `-scale`."""
        self._steps -= 1
        if self._steps < 0:
            return False
        value = self._last(terms)
        if value is None:
            return terms.get((), 0) > -scale
        factor, known = terms[value], self._of(value)
        for bound in known.lower if factor > 0 else known.upper:
            common = gcd(bound.factor, factor)
            times, replaced = bound.factor // common, factor // common
            left = {m: c * times for m, c in terms.items() if m is not value}
            add_terms(left, bound.terms, replaced)
            if self._is_proved(left, scale * times):
                return True
        return False

    def _last(self, terms: Terms) -> Monomial | None:
        """The value of highest rank in a sum; None for a number."""
        return max(filter(None, terms), key=lambda value: self._of(value).rank, default=None)

    def _of(self, value: Monomial) -> _Known:
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._found(value)
        return known

    def _found(self, value: Monomial) -> _Known:
        """What is known of a value that was not added."""
        if len(value) == 1 and isinstance(quotient := value[0], Quotient):
            # d * q <= x <= d * q + d - 1
            divisor, dividend = quotient.divisor, dict(quotient.dividend.terms)
            last = self._last(dividend)
            rank, depth = (0, 0) if last is None else self._of(last).rank
            least = {**dividend, (): dividend.get((), 0) - divisor + 1}
            lower = (Bound(divisor, least), *self._rounded(quotient, -1))
            upper = (Bound(divisor, dividend), *self._rounded(quotient, 1))
            return _Known((rank, depth + 1), lower, upper)
        is_count = all(self._is_size(atom) for atom in value)
        return _Known((0, 0), (Bound(1, {}),) if is_count else ())

    def _rounded(self, quotient: Quotient, sign: int) -> list[Bound]:
        """The bound of a quotient that is one of its dividend divided, and rounded as it is.

        `f floordiv 6` is at most 1 if f is at most 11; of `6 * q <= f` alone follows 11/6. There
        is none if the dividend has no bound of which the quotient is whole.
        """
        bound = quotient.dividend
        for _ in range(MOST_STEPS):
            found = bound.floordiv(quotient.divisor)
            if not any(isinstance(atom, Quotient) for atom in found.atoms()):
                return [Bound(1, found.terms)]
            value = self._last(bound.terms)
            if value is None:
                break
            factor, known = bound.terms[value], self._of(value)
            sides = known.upper if factor * sign > 0 else known.lower
            whole = next((one for one in sides if one.factor == 1), None)
            if whole is None:
                break
            bound = bound.plus(Polynomial({value: 1}), -factor).plus(
                Polynomial(whole.terms), factor
            )
        return []
