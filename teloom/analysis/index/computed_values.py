"""What is known of index values that are no affine expressions, from the ops that compute them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.values import OF_TWO
from teloom.analysis.sets.conditions import COMPARED, Alternatives
from teloom.analysis.sets.integer_sets import ONE, Constraint, at_least, between, more_than
from teloom.dialects.syntax.stage_header import ZERO


class ComputedValue(NamedTuple):
    """The value that an op computes of two others, wherever such an op stands."""

    op: type[Operation]
    lhs: AffineExpr
    rhs: AffineExpr

    def at(self, point: Sequence[int]) -> int:
        """The number that it is where the dimensions have these values."""
        return OF_TWO[self.op](self.lhs.eval(point, ()), self.rhs.eval(point, ()))


def _is(value: AffineExpr, one: AffineExpr) -> Constraint:
    return Constraint(value, True, one)


def _larger(value: AffineExpr, lhs: AffineExpr, rhs: AffineExpr) -> Alternatives:
    return [[_is(value, lhs), at_least(lhs, rhs)], [_is(value, rhs), at_least(rhs, lhs)]]


def _smaller(value: AffineExpr, lhs: AffineExpr, rhs: AffineExpr) -> Alternatives:
    return [[_is(value, lhs), at_least(rhs, lhs)], [_is(value, rhs), at_least(lhs, rhs)]]


def _product(value: AffineExpr, lhs: AffineExpr, rhs: AffineExpr) -> Alternatives:
    is_positive = [at_least(one, ONE) for one in (lhs, rhs)]
    is_zero = [[_is(one, ZERO), _is(value, ZERO)] for one in (lhs, rhs)]
    above = [at_least(value, one) for one in (lhs, rhs)]
    return [[more_than(ZERO, lhs)], [more_than(ZERO, rhs)], *is_zero, is_positive + above]


def _quotient(value: AffineExpr, dividend: AffineExpr, divisor: AffineExpr) -> Alternatives:
    return [*_not_natural(dividend, divisor), between(value, dividend + 1)]


def _remainder(value: AffineExpr, dividend: AffineExpr, divisor: AffineExpr) -> Alternatives:
    return [*_not_natural(dividend, divisor), [*between(value, divisor), at_least(dividend, value)]]


def _not_natural(dividend: AffineExpr, divisor: AffineExpr) -> Alternatives:
    """A division of which nothing is said here: by 0, or with a negative number."""
    return [[more_than(ZERO, dividend)], [more_than(ONE, divisor)]]


FACTS: Mapping[type[Operation], Callable[[AffineExpr, AffineExpr, AffineExpr], Alternatives]] = {
    arith.MaxSIOp: _larger,
    arith.MinSIOp: _smaller,
    arith.MuliOp: _product,
    arith.DivSIOp: _quotient,
    arith.RemSIOp: _remainder,
}
"""What holds of the result of an op and its two operands: one of the alternatives."""


def _rest(division: ComputedValue) -> ComputedValue:
    return division._replace(op=arith.RemSIOp)


def facts(values: Mapping[ComputedValue, AffineExpr]) -> Iterator[Alternatives]:
    """What holds of each computed value."""
    for what, value in values.items():
        yield FACTS[what.op](value, what.lhs, what.rhs)


class Undivided(NamedTuple):
    """Two dividends that are the same where both results are, for a divisor that is not 0."""

    dividends: tuple[AffineExpr, AffineExpr]
    divisor: AffineExpr
    results: Sequence[tuple[AffineExpr, AffineExpr]]

    def may_differ(self) -> Alternatives:
        """Where the dividends need not be the same."""
        others = [case for one, other in self.results for case in COMPARED["ne"](one, other)]
        return [[_is(self.divisor, ZERO)], *others]


def undivided(values: Mapping[ComputedValue, AffineExpr]) -> Iterator[Undivided]:
    """What follows of divisions by the same number; those of quotients come first."""
    divisions = [what for what in values if what.op is arith.DivSIOp and _rest(what) in values]
    for one, other in combinations(reversed(divisions), 2):
        if one.rhs == other.rhs:
            pairs = [(one, other), (_rest(one), _rest(other))]
            results = [(values[a], values[b]) for a, b in pairs]
            yield Undivided((one.lhs, other.lhs), one.rhs, results)
