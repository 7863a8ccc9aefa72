"""Ranges and values of axes, and subscripts of reads, as polynomials of sizes and loops."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.dependences.instances import counting, is_axis, is_size, range_of
from teloom.analysis.dependences.time_vectors import Nest, loops_of_nest
from teloom.analysis.index.forms import IndexForms
from teloom.analysis.index.inequalities import Inequalities
from teloom.analysis.stages.conditions import conditions_around
from teloom.analysis.stages.queries import (
    Access,
    axes_of,
    block_of,
    bounds_from_data,
    fixed_axes,
    function_around,
    in_init,
    loops_around,
    reader_of,
    stage_of,
    stages_around,
)
from teloom.analysis.stages.relations.meanings import meaning_of
from teloom.dialects import schedule
from teloom.dialects.affine.polynomials import Polynomial, of_expr, over
from teloom.dialects.bodies.extern import axes_in

ONE = Polynomial.constant(1)


class AxisRange(NamedTuple):
    """The range of an axis: not below any of `lower`, and below each of `upper`."""

    lower: list[Polynomial]
    upper: list[Polynomial]


class SizeForms(IndexForms):
    """Polynomials of sizes; `max(0, x)` is x where x is never negative."""

    operations = {**IndexForms.operations, arith.MaxSIOp: lambda lhs, rhs: _largest(lhs, rhs)}


def _largest(lhs: Polynomial, rhs: Polynomial) -> Polynomial | None:
    of_sizes = Inequalities(lambda atom: isinstance(atom, BlockArgument))
    return lhs if not rhs.terms and of_sizes.hold(lhs) else None


class TextForms:
    """The polynomials of one function. An axis without a value is an atom, as loops are."""

    def __init__(self) -> None:
        self._sizes = SizeForms()
        self._axes: dict[SSAValue, Polynomial] = {}
        self._values = cache(lambda stage: stage.values)
        self._ranges = cache(lambda stage: stage.ranges)
        self.range = cache(self._range)
        self._bounds = cache(self._inside)
        self._around: dict[schedule.StageOp, Inequalities] = {}
        self.loops_in = cache(self._loops_in)

    def of(self, value: SSAValue) -> Polynomial:
        """A size, or an axis in terms of loops."""
        if not is_axis(value):
            return self._sizes.of(value)
        if value not in self._axes:
            said = self._values(stage_of(value)).get(value)
            found = Polynomial.of(value)
            if said is not None:
                (found,) = self.over(said.map, said.operands_)
            self._axes[value] = found
        return self._axes[value]

    def expr(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> Polynomial:
        return of_expr(expr, over([self.of(operand) for operand in operands]))

    def quotient(self, form: Polynomial) -> tuple[Polynomial, Polynomial] | None:
        """The dividend and the number of sizes by which it is divided, and rounded up, if any.

        The number is at least 1 in each call, as a promise says.
        """
        found = next(iter(form.values()), None)
        if found is None or form != Polynomial.of(found):
            return None
        if not isinstance(found.owner, arith.DivSIOp):
            return None
        more, divisor = found.owner.operands
        at_least_one = divisor.owner
        if not isinstance(at_least_one, arith.MaxSIOp):
            return None
        number, one = map(self.of, at_least_one.operands)
        return (self.of(more) - self.of(divisor) + ONE, number) if one == ONE else None

    def over(self, map: AffineMapAttr, operands: Sequence[SSAValue]) -> list[Polynomial]:
        leaf = over([self.of(operand) for operand in operands])
        return [of_expr(expr, leaf) for expr in map.data.results]

    def _range(self, axis: SSAValue) -> AxisRange:
        op = self._ranges(stage_of(axis)).get(axis) or range_of(axis)
        return AxisRange(self.over(op.lower, op.operands_), self.over(op.upper, op.operands_))

    def _inside(self, axis: SSAValue) -> list[Polynomial]:
        """The polynomials that are not negative inside of the range of an axis."""
        value, side = Polynomial.of(axis), self.range(axis)
        above = [value - lower for lower in side.lower]
        return [*above, *(upper - ONE - value for upper in side.upper)]

    def box(self, stage: schedule.StageOp) -> list[tuple[Polynomial, Polynomial]]:
        """(offset, extent) per axis of what is stored; empty if the text does not say it."""
        if (region := stage.region) is None:
            return []
        offsets = self.over(region.offsets, region.operands_)
        return [*zip(offsets, self.over(region.extents, region.operands_), strict=True)]

    def declared(
        self, stage: schedule.StageOp, points: Sequence[Polynomial]
    ) -> list[tuple[Polynomial, Polynomial]]:
        """(start, end) of root axes of the equation, at a point along the leading ones of them.

        There is a pair for each coordinate of the point and one more, if the stage has as many
        axes.
        """
        at = over([*map(self.of, stage.sizes), *points])
        bounds = stage.bounds.pairs()[: len(points) + 1]
        found = [(of_expr(lower, at), of_expr(upper, at)) for lower, upper in bounds]
        for position, ends in bounds_from_data(stage).items():
            if position < len(found):
                first, end = map(self.of, ends)
                found[position] = (first, end)
        return found

    def in_domain(self, stage: schedule.StageOp, points: Sequence[Polynomial]) -> list[Polynomial]:
        """The polynomials that are not negative at elements of a stage, at these data axes."""
        where, at = stage.bounds.where(), over([*map(self.of, stage.sizes), *points])
        zeros = [of_expr(expr, at) for expr in where.equalities]
        found = [of_expr(expr, at) for expr in where.inequalities]
        return [*found, *zeros, *(Polynomial({}) - zero for zero in zeros)]

    def _add_promises(self, known: Inequalities, stage: schedule.StageOp) -> None:
        """Bounds from data are inside of those of the header, where these are over sizes."""
        if not (from_data := bounds_from_data(stage)):
            return
        over_axes, pairs = stage.bounds.over_axes(), stage.bounds.pairs()
        for position, ends in from_data.items():
            if position not in over_axes:
                lower, upper = (self.expr(one, stage.sizes) for one in pairs[position])
                first, end = map(self.of, ends)
                known.add(first - lower)
                known.add(upper - end)

    def _loops_in(self, stage: schedule.StageOp, nest: Nest) -> Inequalities:
        """The bounds of the loops around a stage and of its own loops, and its guards."""
        known = self.loops_around(stage)
        own = loops_of_nest(stage, nest)
        for axis in own:
            self.add_range(known, axis)
        self._add_opaque(known, stage)
        self._add_promises(known, stage)
        fixed = fixed_axes(stage, own)
        for guard in stage.guards:
            self._add_guard(known, guard, fixed)
        self._add_bounds_of_opaque(known, stage)
        return known

    def loops_around(self, stage: schedule.StageOp) -> Inequalities:
        """The bounds of the loops around a stage, and of the axes that these fix."""
        inside = [one for one in (stage, *stages_around(stage)) if one not in self._around]
        for one in reversed(inside):
            self._around[one] = self._loops_around(one)
        return self._around[stage].copy()

    def _loops_around(self, stage: schedule.StageOp) -> Inequalities:
        """The same, if it is known for the stage around."""
        if (around := stage.enclosing) is None:
            return Inequalities(is_size)
        known = self._around[around].copy()
        for axis in loops_around(stage):
            self.add_range(known, axis)
        self._add_promises(known, around)
        self._add_opaque(known, around)
        self._add_bounds_of_opaque(known, around)
        return known

    def add_range(self, known: Inequalities, axis: SSAValue) -> None:
        """Adds an axis with its range."""
        known.add_value((axis,))
        for bound in self._bounds(axis):
            known.add(bound)

    def _opaque(self, relation: schedule.RelationOp) -> Sequence[SSAValue]:
        """The axes that a relation consumes which are atoms."""
        return [axis for axis in relation.consumed if self.of(axis) == Polynomial.of(axis)]

    def _add_opaque(self, known: Inequalities, stage: schedule.StageOp) -> None:
        """Adds the axes that are atoms, without bounds."""
        for relation in stage.relations:
            for axis in self._opaque(relation):
                known.add_value((axis,))

    def _add_bounds_of_opaque(self, known: Inequalities, stage: schedule.StageOp) -> None:
        """Adds the bounds of axes that are atoms, as far as they follow from what is known."""
        at = RelationExtents(self, stage)
        for relation in reversed(stage.relations):
            opaque = self._opaque(relation)
            if opaque and all(map(at.is_range, relation.consumed)):
                for axis, bound in meaning_of(relation).bounds(relation, at, known):
                    if axis in opaque:
                        known.add(bound)

    def _add_guard(
        self, known: Inequalities, guard: schedule.GuardOp, fixed: Collection[SSAValue]
    ) -> None:
        """Adds what a guard with one alternative says where these axes of its stage are fixed."""
        said, operands = counting(guard, fixed), guard.operands_
        if len(said) == 1:
            for expr in said[0].inequalities:
                known.add(self.expr(expr, operands))
            for expr in said[0].equalities:
                known.add_equal(self.expr(expr, operands))

    def known_at(self, read: Access) -> tuple[Inequalities, BodyForms]:
        """What is known of loops where a read happens, and the forms of index values there."""
        nest = Nest.INIT if in_init(read) else Nest.BODY
        stage, arguments = reader_of(read), axes_in(block_of(read))
        forms = BodyForms(dict(zip(arguments, map(self.of, axes_of(read)), strict=True)))
        known = self.loops_in(stage, nest).copy()
        for condition, holds in conditions_around(read):
            for expr in forms.said_by(condition, holds):
                known.add(expr)
        return known, forms


class RelationExtents:
    """What relations ask of the text of one stage: sizes, and where axes start and end."""

    def __init__(self, forms: TextForms, stage: schedule.StageOp):
        self.forms, self.stage = forms, stage
        self.sizes: Sequence[Polynomial] = [*map(Polynomial.of, function_around(stage).sizes)]

    def value(self, axis: SSAValue) -> Polynomial:
        """An axis in terms of loops."""
        return self.forms.of(axis)

    def is_range(self, axis: SSAValue) -> bool:
        """Whether an axis has one start and one end, as inferred axes have that are consumed."""
        lower, upper = self.forms.range(axis)
        return len(lower) == len(upper) == 1

    def extent(self, axis: SSAValue) -> Polynomial:
        side = self.forms.range(axis)
        return side.upper[0] - side.lower[0]

    def distances(self, axis: SSAValue) -> tuple[Polynomial, Polynomial]:
        side, value = self.forms.range(axis), self.forms.of(axis)
        return value - side.lower[0], side.upper[0] - ONE - value

    def parts(self, axis: SSAValue, whole: SSAValue, number: Polynomial) -> Polynomial | None:
        end = self.extent(axis)
        is_quotient = self.forms.quotient(end) == (self.extent(whole), number)
        return end if is_quotient else None

    def start(self, axis: SSAValue) -> Polynomial:
        if axis in self.stage.root_axes:
            return Polynomial({})
        return self.forms.range(axis).lower[0]


class BodyForms(IndexForms):
    """Polynomials of index values in a region of an equation, of which `axes` are the arguments."""

    def __init__(self, axes: Mapping[SSAValue, Polynomial]):
        super().__init__()
        self._given = axes

    def given(self, value: SSAValue) -> Polynomial | None:
        return self._given.get(value)

    def said_by(self, condition: SSAValue, holds: bool) -> Iterator[Polynomial]:
        """Polynomials that are not negative where a condition holds, or fails; perhaps not all."""
        joined = arith.AndIOp if holds else arith.OrIOp
        pending, seen = [condition], {condition}
        while pending:
            op = pending.pop().owner
            if isinstance(op, joined):
                new = [one for one in dict.fromkeys(op.operands) if one not in seen]
                seen.update(new)
                pending += new
            elif isinstance(op, arith.CmpiOp) and isinstance(op.lhs.type, IndexType):
                yield from self._said_by_comparison(op, holds)

    def _said_by_comparison(self, op: arith.CmpiOp, holds: bool) -> Iterator[Polynomial]:
        predicate = op.predicate.value.data
        predicate = predicate if holds else _NEGATED.get(predicate, -1)
        for sign, margin in _SAID.get(predicate, ()):
            difference = self.of(op.lhs) - self.of(op.rhs)
            yield difference.times(sign) - Polynomial.constant(margin)


_NEGATED = {0: 1, 1: 0, 2: 5, 3: 4, 4: 3, 5: 2}
"""The predicate of the opposite, by that of a comparison: eq, ne, slt, sle, sgt, sge."""

_SAID = {0: [(1, 0), (-1, 0)], 2: [(-1, 1)], 3: [(-1, 0)], 4: [(1, 1)], 5: [(1, 0)]}
"""By predicate: the sign of the difference of the operands, and its least value."""
