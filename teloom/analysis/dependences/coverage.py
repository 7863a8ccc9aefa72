"""Whether a stage computes given elements in each iteration of the loops around it.

The proof has two steps. The relations lead from an element to the one iteration of the stage's
loops that computes it. Then the ranges and guards of the text must contain this iteration, and the
values of the text must lead back to the element. Bound inference goes the other way, so that this
is a check of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from xdsl.ir import SSAValue

from teloom.analysis.dependences.text_forms import ONE, RelationExtents, TextForms
from teloom.analysis.index.inequalities import Inequalities
from teloom.analysis.stages.relations.meanings import meaning_of
from teloom.dialects import schedule
from teloom.dialects.affine.polynomials import Polynomial, Quotient


class Coverage:
    """Proofs for one function. They use no integer sets, and may fail for what is true."""

    def __init__(self, forms: TextForms):
        self.forms = forms

    def covers(
        self, stage: schedule.StageOp, elements: Sequence[Polynomial], known: Inequalities
    ) -> bool:
        """Whether it is proved that the stage computes an element wherever `known` holds.

        `elements` are the coordinates along the data axes. A reduction has to fold all points of
        its reduce axes into the element. `known` is over the loops around the stage, not over its
        own.
        """
        known = known.copy()
        points = [*elements]
        for axis in stage.root_axes[len(elements) :]:
            start, end = self.forms.declared(stage, points)[-1]
            known.add_value((axis,))
            point = Polynomial.of(axis)
            known.add(point - start)
            known.add(end - ONE - point)
            points.append(point)
        tries = (kind(self.forms, stage, points, known.copy()) for kind in (_Iteration, _Rounds))
        return any(at.is_found and at.is_run() for at in tries)


class _Iteration(RelationExtents):
    """The iteration of a stage's loops that computes the point with these coordinates."""

    def __init__(
        self,
        forms: TextForms,
        stage: schedule.StageOp,
        points: Sequence[Polynomial],
        known: Inequalities,
    ):
        super().__init__(forms, stage)
        self.known = known
        self.points = dict(zip(stage.root_axes, points, strict=True))
        self.positions: dict[SSAValue, Polynomial] = {}
        consumed = [axis for relation in stage.relations for axis in relation.consumed]
        self.is_found = all(map(self.is_range, consumed))
        if self.is_found:
            for axis, point in self.points.items():
                is_leaf = axis not in consumed
                self.positions[axis] = point if is_leaf else point - forms.range(axis).lower[0]
            self.is_found = all(map(self._follow, stage.relations))

    def _follow(self, relation: schedule.RelationOp) -> bool:
        """Adds the positions of the axes that a relation makes; False if they are not known."""
        return meaning_of(relation).follow(relation, self)

    def is_run(self) -> bool:
        """Whether loops and guards contain the iteration, and the iteration computes the point."""
        leaves = self.stage.order.axes
        replaced = {**self.points, **{axis: self.positions[axis] for axis in leaves}}
        for axis in leaves:
            side = self.forms.range(axis)
            above = (replaced[axis] - self._at(lower, replaced) for lower in side.lower)
            below = (self._at(upper, replaced) - ONE - replaced[axis] for upper in side.upper)
            if not self.known.hold(*above, *below):
                return False
        return all(self._holds(guard, replaced) for guard in self.stage.guards) and all(
            self._is_computed(axis, position, replaced) for axis, position in self._asked().items()
        )

    def _asked(self) -> Mapping[SSAValue, Polynomial]:
        """The axes whose values decide what is computed, with those that they have to have."""
        return self.points

    def _is_computed(
        self, axis: SSAValue, position: Polynomial, at: Mapping[SSAValue, Polynomial]
    ) -> bool:
        """Whether an axis has this value in the iteration.

        One without a value in the text is computed from the axes that its relation makes of it.
        """
        form = self.forms.of(axis)
        if axis in self.stage.order.axes or form != Polynomial.of(axis):
            return self.known.are_equal(self._at(form - position, at), Polynomial({}))
        relation = next(one for one in self.stage.relations if axis in one.consumed)
        return all(self._is_computed(one, self.positions[one], at) for one in relation.results)

    def _holds(self, guard: schedule.GuardOp, at: Mapping[SSAValue, Polynomial]) -> bool:
        for one in guard.alternatives:
            exprs = [self._at(self.forms.expr(e, guard.operands_), at) for e in one.inequalities]
            zeros = [self._at(self.forms.expr(e, guard.operands_), at) for e in one.equalities]
            if self.known.hold(*exprs) and all(
                self.known.are_equal(zero, Polynomial({})) for zero in zeros
            ):
                return True
        return False

    def _at(self, form: Polynomial, at: Mapping[SSAValue, Polynomial]) -> Polynomial:
        """An expression of the stage's loops at the iteration."""
        for axis in {*form.values()}.intersection(at):
            if at[axis] != Polynomial.of(axis):
                form = form.substitute(axis, at[axis])
        return form


class _Rounds(_Iteration):
    """The same, where what a relation consumes of another one is a value of its own.

    So a proof finds the quotients of one relation, and not those of many rounds in one another.
    """

    @cached_property
    def _named(self) -> dict[SSAValue, Polynomial]:
        """The positions of these axes."""
        return {}

    def is_run(self) -> bool:
        return bool(self._named) and super().is_run()

    def _follow(self, relation: schedule.RelationOp) -> bool:
        for axis in relation.consumed:
            position = self.positions[axis]
            is_made = axis not in self.points
            if is_made and any(isinstance(atom, Quotient) for atom in position.atoms()):
                self.known.add_value((axis,))
                self.known.add_equal(Polynomial.of(axis) - position)
                self._named[axis] = position
                self.positions[axis] = Polynomial.of(axis)
        return super()._follow(relation)

    def _asked(self) -> Mapping[SSAValue, Polynomial]:
        return {**self.points, **{axis: self.positions[axis] for axis in self._named}}

    def _at(self, form: Polynomial, at: Mapping[SSAValue, Polynomial]) -> Polynomial:
        form = self.known.divided(super()._at(form, at))
        for axis in reversed(self._named):
            if form.uses(axis):
                form = self.known.divided(form.substitute(axis, self._named[axis]))
        return form
