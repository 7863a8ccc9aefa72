"""The range of a loop that stages share: from the least of their starts to the last of their ends.

Bounds are polynomials of index values. What is not proved to be least is found by code.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from teloom.dialects.affine.polynomials import Polynomial
from teloom.passes.code.index_code import IndexCode


class Sides(NamedTuple):
    """From the largest of `lower` to the least of `upper`, the end excluded."""

    lower: list[Polynomial]
    upper: list[Polynomial]

    def moved(self, by: Polynomial) -> Sides:
        """The range at coordinates that are higher."""
        return Sides([one + by for one in self.lower], [one + by for one in self.upper])


class Hulls:
    """Unions of ranges; `sizes` are values that are known not to be negative."""

    def __init__(self, sizes: Collection[SSAValue]):
        self.sizes = sizes

    def around(self, ranges: Sequence[Sides], code: IndexCode) -> Sides:
        """A range that holds all of these, by bounds for one loop."""
        lower = [bounds for bounds, _ in ranges]
        upper = [[end.times(-1) for end in bounds] for _, bounds in ranges]
        starts = self._least(lower, code, arith.MaxSIOp, arith.MinSIOp, 1)
        ends = self._least(upper, code, arith.MinSIOp, arith.MaxSIOp, -1)
        return Sides(starts, [end.times(-1) for end in ends])

    def _least(
        self,
        bounds: Sequence[list[Polynomial]],
        code: IndexCode,
        within: type[arith.MaxSIOp | arith.MinSIOp],
        among: type[arith.MaxSIOp | arith.MinSIOp],
        sign: int,
    ) -> list[Polynomial]:
        """The list whose largest polynomial is the least, or that polynomial by code."""
        kept: list[list[Polynomial]] = []
        for one in bounds:
            if not any(self._is_above(one, other) for other in kept):
                kept = [other for other in kept if not self._is_above(other, one)] + [one]
        # min(max(c, a), max(c, b)) -> max(c, min(a, b)): what all say stays a bound of the loop.
        common = [bound for bound in kept[0] if all(bound in one for one in kept)]
        rests = [[bound for bound in one if bound not in common] for one in kept]
        if not all(rests):
            return common
        each = [code.one_of(within, [bound.times(sign) for bound in rest]) for rest in rests]
        return [*common, code.one_of(among, each).times(sign)]

    def _is_above(self, bounds: Sequence[Polynomial], others: Sequence[Polynomial]) -> bool:
        """Whether the largest of the bounds is proved to be at least the largest of the others."""
        return all(self.implies(bounds, other) for other in others)

    def implies(self, bounds: Sequence[Polynomial], other: Polynomial) -> bool:
        """Whether one of the lower bounds is proved to be at least the other one."""
        return any(self._is_natural(bound - other) for bound in bounds)

    def _is_natural(self, value: Polynomial) -> bool:
        """Whether a value is no negative number, whatever the sizes are."""
        return all(
            coefficient >= 0 and all(atom in self.sizes for atom in monomial)
            for monomial, coefficient in value.terms.items()
        )
