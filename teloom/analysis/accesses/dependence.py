"""Whether two accesses may be to one element: decided in one place, with a witness.

Most are told apart by their subscripts alone, in microseconds: by the greatest common divisor
of what can change between two instances (Banerjee, "Dependence Analysis for Supercomputing",
1988). Integer sets decide the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from math import gcd
from typing import NamedTuple

import islpy as isl
from xdsl.ir import Block

from teloom.analysis.accesses.instance_pairs import InstancePairs, Witness
from teloom.analysis.accesses.references import Reference, Way
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Atom, Polynomial, Quotient
from teloom.errors import PassError

MOST_OPERATIONS = 200_000
"""How many isl operations a decision may take: most take a few thousand."""

Question = tuple[Reference, Reference, Sequence[Way]]
"""May an instance of the first and one of the second, in one of these ways, touch one element?"""


class Meeting(NamedTuple):
    """Two references that may touch one element; with a witness, where that is certain."""

    first: Reference
    second: Reference
    witness: Witness | None = None


class Dependences:
    """Of the accesses in a block, in one run of it.

    `is_shared` says of a quotient of the counter in which two instances differ that it is the
    same for all of them.
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

    def meeting(self, questions: Iterable[Question]) -> Meeting | None:
        """The first answer that is yes, or that takes isl too long to know; None if none is."""
        open_questions = [
            (first, second, left)
            for first, second, ways in questions
            if (left := [way for way in ways if not self._are_apart(first, second, way)])
        ]
        if not open_questions:
            return None
        first, second, _ = open_questions[0]
        try:
            with budget(self.context, MOST_OPERATIONS):
                for first, second, ways in open_questions:
                    if not (first.is_known and second.is_known):
                        return Meeting(first, second)
                    subscripts = self.subscripts(first), self.subscripts(second)
                    pairs = InstancePairs(
                        (first, second), subscripts, self.block, self.forms, self.context
                    )
                    if (found := pairs.that_meet(ways)) is not None:
                        return Meeting(first, second, pairs.witness(found))
        except (OverBudget, PassError):
            return Meeting(first, second)
        return None

    # By subscripts alone

    def _are_apart(self, first: Reference, second: Reference, way: Way) -> bool:
        """Whether the subscripts on an axis never are equal, whatever is known of loops."""
        if not (first.is_known and second.is_known):
            return False
        changing = [op for one in (first, second) for op in one.loops if op not in way.same]
        if way.other:
            changing = [way.other]
        axes = [*zip(self.subscripts(first), self.subscripts(second), strict=True)]
        lanes = range(1 - first.access.lanes, second.access.lanes)
        return any(
            self._differ(*axis, way, changing, lanes if axis is axes[-1] else range(1))
            for axis in axes
        )

    def _subscripts(self, reference: Reference) -> list[Polynomial]:
        access = reference.access
        return self.forms.of_exprs(access.subscripts, access.indices)

    def _differ(
        self,
        one: Polynomial,
        other: Polynomial,
        way: Way,
        changing: Sequence[loop.ForOp],
        lanes: range,
    ) -> bool:
        """Whether `other - one` is never 0, nor any of `lanes` with the opposite sign."""
        stride, period, gap = 0, 0, 0
        for monomial in one.terms.keys() | other.terms.keys():
            a, b = (side.terms.get(monomial, 0) for side in (one, other))
            if a == b and way.other and monomial == (way.other.induction_variable,):
                stride = a
            elif not all(self._is_same(atom, changing) for atom in monomial):
                period = gcd(period, a, b)
            elif not monomial:
                gap = b - a
            else:
                period = gcd(period, b - a)
        return not any(_is_hit(stride, gap + lane, period, way) for lane in lanes)

    def _is_same(self, atom: Atom, changing: Sequence[loop.ForOp]) -> bool:
        """Whether an atom has one value for both instances."""
        if not isinstance(atom, Quotient):
            return not any(op.body.is_ancestor(atom.owner) for op in changing)
        parts = (a for a in atom.dividend.atoms() if not isinstance(a, Quotient))
        different = {part for part in parts if not self._is_same(part, changing)}
        counters = {op.induction_variable for op in changing}
        return not different or (different == counters and self.is_shared(atom))


def _is_hit(stride: int, gap: int, period: int, way: Way) -> bool:
    """Whether `stride * steps + gap` is a multiple of `period` for a number of steps."""
    factor, least, most = gcd(stride, period), way.least, way.most
    if gap % factor if factor else gap:
        return False
    if stride and not period:
        steps = -gap // stride
        return (least is None or least <= steps) and (most is None or steps <= most)
    if not stride or least is None or most is None:
        return True
    return any(not (stride * steps + gap) % period for steps in range(least, most + 1))
