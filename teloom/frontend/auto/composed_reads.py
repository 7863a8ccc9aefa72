"""What stages read through the stages that are inlined in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from teloom.frontend.auto.facts import EquationFacts, Read, Subscript, distinct
from teloom.frontend.auto.plan import Plan
from teloom.frontend.tensor.tensors import IterVar, Operation


def read_through(plan: Plan) -> ComposedReads:
    """Gives the stages of a plan that are not inlined their reads through the inlined ones."""
    found = ComposedReads(plan.inlined, {nest.anchor.op for nest in plan.nests})
    for equation in (one for nest in plan.nests for one in (nest.anchor, *nest.members)):
        found.give(equation)
    return found


class ComposedReads:
    """What stages read through inlined ones; `stored` are those that are computed as a whole."""

    def __init__(self, inlined: Iterable[EquationFacts] = (), stored: Iterable[Operation] = ()):
        self.inlined: Mapping[Operation, EquationFacts] = {one.op: one for one in inlined}
        self.stored = {*stored}
        self._found: dict[Operation, list[Read]] = {}

    def give(self, equation: EquationFacts) -> None:
        """Gives a stage its reads through the inlined stages."""
        reads, has_cases = self._of(equation)
        equation.read_through(reads, has_cases, self.stored)

    def _of(self, equation: EquationFacts) -> tuple[list[Read], bool]:
        """The reads of a point of a stage, and whether it has cases, inlined stages included."""
        parts = self._producers_first(equation)
        for one in parts:
            found = (read for direct in one.reads for read in self._through(direct))
            self._found.setdefault(one.op, distinct(found))
        return self._found[equation.op], any(one.has_cases for one in parts)

    def _through(self, read: Read) -> Iterator[Read]:
        made = self.inlined.get(read.tensor.op)
        if made is None:
            yield read
            return
        at = dict(zip(made.op.axis, read.subscripts, strict=True))
        for inner in self._found[made.op]:
            yield Read(inner.tensor, tuple(_composed(one, at) for one in inner.subscripts))

    def _producers_first(self, equation: EquationFacts) -> list[EquationFacts]:
        """The stages that a stage inlines, producers first, and the stage itself as the last."""
        found: dict[Operation, EquationFacts] = {}
        pending = [(equation, False)]
        while pending:
            one, is_done = pending.pop()
            if is_done:
                found[one.op] = one
            elif one.op not in found:
                read = (self.inlined.get(made.op) for made in one.tensors)
                pending += [(one, True), *((more, False) for more in read if more is not None)]
        return [*found.values()]


def _composed(inner: Subscript, at: Mapping[IterVar, Subscript]) -> Subscript:
    """A subscript over the axes of a stage, at a point of its reader."""
    parts = [at[axis] for axis in inner.axes]
    axes = frozenset[IterVar]().union(*(one.axes for one in parts))
    total, constant = dict.fromkeys(axes, 0), inner.constant
    for axis, scale in inner.known.items():
        constant += scale * at[axis].constant
        for one, factor in at[axis].known.items():
            total[one] += scale * factor
    left = {axis: factor for axis, factor in total.items() if factor}
    if inner.coefficients is not None and all(one.coefficients is not None for one in parts):
        return Subscript(frozenset(left), left, constant, False)
    unknown = frozenset[IterVar]().union(
        *(at[axis].axes for axis in inner.axes - inner.known.keys()),
        *(one.axes - one.known.keys() for one in parts),
    )
    steps = {axis: factor for axis, factor in left.items() if axis not in unknown}
    is_data = inner.is_data or any(one.is_data for one in parts)
    named = [axis for one in parts for axis in one.axes]
    shared = {axis for one in inner.shared if at[one].is_axis for axis in at[one].axes}
    alone = frozenset(axis for axis in shared if named.count(axis) == 1)
    return Subscript(axes, None, 0, is_data, steps=steps, shared=alone)
