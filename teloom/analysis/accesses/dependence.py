"""The dependence test: may two accesses touch the same element? With a witness, if they do.

The GCD test answers most questions from the subscripts alone, in microseconds: two subscripts
never are equal if their difference is no multiple of the greatest common divisor of what can
change between two instances (Banerjee, "Dependence Analysis for Supercomputing", 1988). Integer
sets decide the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from math import gcd
from typing import NamedTuple

import islpy as isl
from xdsl.ir import Block

from teloom.analysis.accesses.instance_pairs import InstancePairs, Witness
from teloom.analysis.accesses.references import Direction, Reference
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Atom, Polynomial, Quotient
from teloom.errors import PassError

MOST_OPERATIONS = 200_000
"""The budget of a decision in isl operations. Most decisions take a few thousand."""

Question = tuple[Reference, Reference, Sequence[Direction]]
"""May an instance of the first reference and one of the second, in one of these orders, touch the
same element?"""


class Conflict(NamedTuple):
    """Two references that may touch the same element; with a witness where they certainly do."""

    first: Reference
    second: Reference
    witness: Witness | None = None


class Dependences:
    """Answers questions about the accesses in a block, within one run of the block.

    `is_shared` tells whether a quotient of an induction variable has one value in all lanes:
    then it is equal for two instances although that variable differs.
    """

    def __init__(
        self,
        block: Block,
        forms: IndexForms | None = None,
        is_shared: Callable[[Quotient], bool] = lambda _: False,
    ):
        self.block = block
        self.forms = forms or IndexForms()
        self.is_shared = is_shared
        self.subscripts = cache(self._subscripts)

    @cached_property
    def context(self) -> isl.Context:
        return isl.Context()

    def conflict(self, questions: Iterable[Question]) -> Conflict | None:
        """The first pair that touches the same element, or that isl cannot decide in its budget.

        None if every pair is proved independent.
        """
        open_questions = [
            (first, second, left)
            for first, second, directions in questions
            if (left := [d for d in directions if not self._are_apart(first, second, d)])
        ]
        if not open_questions:
            return None
        first, second, _ = open_questions[0]
        try:
            with budget(self.context, MOST_OPERATIONS):
                for first, second, directions in open_questions:
                    if not (first.is_known and second.is_known):
                        return Conflict(first, second)
                    subscripts = self.subscripts(first), self.subscripts(second)
                    pairs = InstancePairs(
                        (first, second), subscripts, self.block, self.forms, self.context
                    )
                    if (found := pairs.conflicting(directions)) is not None:
                        return Conflict(first, second, pairs.witness(found))
        except (OverBudget, PassError):
            return Conflict(first, second)
        return None

    # The GCD test

    def _are_apart(self, first: Reference, second: Reference, direction: Direction) -> bool:
        """Whether the subscripts on some axis never are equal, whatever the bounds of loops are."""
        if not (first.is_known and second.is_known):
            return False
        changing = [op for one in (first, second) for op in one.loops if op not in direction.same]
        if direction.carrier:
            changing = [direction.carrier]
        axes = [*zip(self.subscripts(first), self.subscripts(second), strict=True)]
        lanes = range(1 - first.access.lanes, second.access.lanes)
        return any(
            self._differ(*axis, direction, changing, lanes if axis is axes[-1] else range(1))
            for axis in axes
        )

    def _subscripts(self, reference: Reference) -> list[Polynomial]:
        access = reference.access
        return self.forms.of_exprs(access.subscripts, access.indices)

    def _differ(
        self,
        one: Polynomial,
        other: Polynomial,
        direction: Direction,
        changing: Sequence[loop.ForOp],
        lanes: range,
    ) -> bool:
        """Whether `other - one + lane` is not 0, for each of `lanes` and any values that change."""
        stride, period, gap = 0, 0, 0
        for monomial in one.terms.keys() | other.terms.keys():
            a, b = (side.terms.get(monomial, 0) for side in (one, other))
            if a == b and direction.carrier and monomial == (direction.carrier.induction_variable,):
                stride = a
            elif not all(self._is_same(atom, changing) for atom in monomial):
                period = gcd(period, a, b)
            elif not monomial:
                gap = b - a
            else:
                period = gcd(period, b - a)
        return not any(_has_solution(stride, gap + lane, period, direction) for lane in lanes)

    def _is_same(self, atom: Atom, changing: Sequence[loop.ForOp]) -> bool:
        """Whether an atom has the same value in both instances."""
        if not isinstance(atom, Quotient):
            return not any(op.body.is_ancestor(atom.owner) for op in changing)
        parts = atom.dividend.values()
        different = {part for part in parts if not self._is_same(part, changing)}
        counters = {op.induction_variable for op in changing}
        return not different or (different == counters and self.is_shared(atom))


def _has_solution(stride: int, gap: int, period: int, direction: Direction) -> bool:
    """Whether `stride * steps + gap` is a multiple of `period` for some number of steps.

    A period of 0 has one multiple, 0."""
    factor, least, most = gcd(stride, period), direction.least, direction.most
    if gap % factor if factor else gap:
        return False
    if stride and not period:
        steps = -gap // stride
        return (least is None or least <= steps) and (most is None or steps <= most)
    if not stride or least is None or most is None:
        return True
    return any(not (stride * steps + gap) % period for steps in range(least, most + 1))
