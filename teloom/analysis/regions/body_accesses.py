"""Loads and stores of an extern's body outside their buffer, found before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects import scf
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.accesses.domains import bounds, conditions
from teloom.analysis.accesses.references import Reference, reference_of
from teloom.analysis.index.affine_forms import affine_form
from teloom.analysis.sets.conditions import where
from teloom.analysis.sets.integer_sets import (
    SET,
    Constraint,
    at_least,
    constrained,
    more_than,
    non_negative,
    sample,
)
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.analysis.stages.conditions import condition
from teloom.analysis.stages.queries import name_of
from teloom.dialects import loop, schedule
from teloom.dialects.bodies.box_buffers import BoxBufferOp
from teloom.dialects.bodies.extern import axes_in
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.accesses import accesses_of
from teloom.errors import PassError

Form = AffineExpr | None
"""A linear form over the dimensions of a point: sizes, axes, then the loops around."""


def check_body(
    stage: schedule.StageOp, sizes: Sequence[SSAValue], context: isl.Context, operations: int
) -> None:
    """Raises PassError, with a witness, if an access of an extern certainly leaves its buffer.

    Nothing is known of an access whose subscripts, bounds or conditions are not affine in sizes,
    axes and loops, or for which isl needs more than `operations`.
    """
    if stage.extern is None:
        return
    for region in stage.extern.regions_with_values():
        for access in (access for op in preorder(region) for access in accesses_of(op)):
            # Under a mask the first element may be outside.
            reference = reference_of(access, region.block)
            if reference.is_known and access.is_needed and access.mask is None:
                try:
                    with budget(context, operations):
                        _Point(reference, stage, axes_in(region.block), sizes, context).check()
                except (OverBudget, _NotAffineError):
                    continue


class _NotAffineError(Exception):
    """A bound or a condition around an access is not affine."""


class _Point:
    """An access at one iteration of the loops around it, at one point of the axes."""

    def __init__(
        self,
        reference: Reference,
        stage: schedule.StageOp,
        axes: Sequence[SSAValue],
        sizes: Sequence[SSAValue],
        context: isl.Context,
    ):
        self.reference, self.stage, self.axes = reference, stage, axes
        self.access = reference.access
        loops = [op.induction_variable for op in reference.loops]
        self.values = [*sizes, *axes, *loops]
        self.dims = {value: dim for dim, value in enumerate(self.values)}
        self.space = non_negative(context, len(sizes)).add_dims(SET, len(axes) + len(loops))

    def check(self) -> None:
        """Raises PassError if the access happens outside of its buffer."""
        points = self._points()
        exprs, box = self.access.subscripts, self._box()
        subscripts = [self._form(expr, self.access.indices) for expr in exprs]
        for axis, (subscript, side) in enumerate(zip(subscripts, box, strict=True)):
            begin, extent = side
            if subscript is None or begin is None or extent is None:
                continue
            place = subscript + begin * -1
            for beyond in (place * -1 + -1, place + extent * -1):
                outside = points.intersect(self._where([at_least(beyond)]))
                if not outside.is_empty():
                    message = self._message(axis, outside, subscripts, (begin, extent))
                    raise PassError(message, self.access.op)

    def _form(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> Form:
        known = {k: affine_form(operands[k], self.dims) for k in expr.used_dims()}
        if None in known.values():
            return None
        forms = [known.get(k) or AffineExpr.constant(0) for k in range(len(operands))]
        return expr.replace_dims_and_symbols(forms, ())

    def _where(self, constraints: Sequence[Constraint]) -> isl.Set:
        return constrained(self.space, constraints).to_set()

    def _points(self) -> isl.Set:
        """The points at which the access happens. Raises `_NotAffineError` if not known."""
        runs = bounds(self.reference, self._counter, self._known)
        points = self._where([*self._declared(), *runs])
        points = where(points, conditions(self.reference, self._known))
        for op, region in self.reference.around:
            if isinstance(op, scf.IfOp):
                holds = condition(op.cond, self.dims, self.space)
                if not holds.exact:
                    raise _NotAffineError
                taken = points.intersect if region is op.true_region else points.subtract
                points = taken(holds.points)
        return points

    def _counter(self, op: loop.ForOp) -> AffineExpr:
        return AffineExpr.dimension(self.dims[op.induction_variable])

    def _known(self, exprs: Sequence[AffineExpr], op: loop.ForOp | loop.IfOp) -> list[AffineExpr]:
        forms = [self._form(expr, op.operands_) for expr in exprs]
        known = [form for form in forms if form is not None]
        if len(known) < len(forms):
            raise _NotAffineError
        return known

    def _declared(self) -> list[Constraint]:
        """The points of the axes."""
        found: list[Constraint] = []
        for axis, (lower, upper) in zip(self.axes, self.stage.bounds.pairs(), strict=False):
            position = AffineExpr.dimension(self.dims[axis])
            values = [*self.stage.sizes, *self.axes]
            start, end = (self._form(bound, values) for bound in (lower, upper))
            assert start is not None
            assert end is not None
            found += [at_least(position, start), more_than(end, position)]
        return found

    def _box(self) -> list[tuple[Form, Form]]:
        """The begin and extent of each axis of the buffer, in its coordinates."""
        made = self.access.buffer.owner
        if isinstance(made, BoxBufferOp):
            zero, extents = AffineExpr.constant(0), made.extents.data.results[made.left_out :]
            return [(zero, self._form(extent, made.operands_)) for extent in extents]
        if not isinstance(made, loop.RealizeOp):
            return [(None, None)] * len(self.access.subscripts)
        sides = zip(made.offsets.data.results, made.extents.data.results, strict=True)
        return [
            (self._form(begin, made.operands_), self._form(extent, made.operands_))
            for begin, extent in sides
        ]

    def _message(
        self,
        axis: int,
        outside: isl.Set,
        subscripts: Sequence[Form],
        side: tuple[AffineExpr, AffineExpr],
    ) -> str:
        numbers = sample(outside)
        begin, extent = (form.eval(numbers, ()) for form in side)
        name = self.access.buffer.name_hint or "a buffer"
        shown = ", ".join(
            "?" if form is None else str(form.eval(numbers, ())) for form in subscripts
        )
        runs = f"runs from {begin} to {begin + extent - 1}" if extent > 0 else "is empty"
        names = [value.name_hint or "a value" for value in self.values]
        known = ", ".join(f"{name} = {n}" for name, n in zip(names, numbers, strict=True))
        does = f'stage "{name_of(self.stage)}" {"stores" if self.access.writes else "loads"}'
        return f"{does} {name}[{shown}], but axis {axis} of {name} {runs}" + (
            f" ({known})" if known else ""
        )
