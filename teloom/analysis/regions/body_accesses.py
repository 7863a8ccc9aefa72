"""Loads and stores of an extern's body outside their buffer, found before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects import memref, scf
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.affine_forms import affine_form
from teloom.analysis.sets.integer_sets import SET, Constraint, constrained, non_negative
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.analysis.stages.conditions import condition
from teloom.analysis.stages.queries import name_of
from teloom.dialects import loop, schedule
from teloom.dialects.bodies.box_buffers import BoxBufferOp
from teloom.dialects.bodies.extern import axes_in
from teloom.errors import PassError

MemoryAccess = memref.LoadOp | memref.StoreOp | loop.LoadOp | loop.StoreOp

Form = AffineExpr | None
"""Over the dimensions of a point: sizes, the axes, then the positions of the loops around."""


def check_body(
    stage: schedule.StageOp, sizes: Sequence[SSAValue], context: isl.Context, operations: int
) -> None:
    """Raises PassError, with a witness, if an access of an extern certainly leaves its buffer.

    What is not affine in sizes, axes and loops, as a subscript, a bound or a condition that depends
    on data, says nothing, and neither does what takes isl more than `operations`.
    """
    if stage.extern is None:
        return
    for region in stage.extern.regions_with_values():
        for op in region.walk():
            if isinstance(op, MemoryAccess):
                try:
                    with budget(context, operations):
                        _Point(op, stage, axes_in(region.block), sizes, context).check()
                except OverBudget:
                    continue


class _Point:
    """An access at one iteration of the loops around it, at one point of the axes."""

    def __init__(
        self,
        op: MemoryAccess,
        stage: schedule.StageOp,
        axes: Sequence[SSAValue],
        sizes: Sequence[SSAValue],
        context: isl.Context,
    ):
        self.op, self.stage, self.axes = op, stage, axes
        self.around: list[tuple[Operation, Operation]] = []
        inner: Operation = op
        while (parent := inner.parent_op()) is not None and parent is not stage.extern:
            self.around.insert(0, (parent, inner))
            inner = parent
        loops = [at.induction_variable for at, _ in self.around if isinstance(at, loop.ForOp)]
        self.values = [*sizes, *axes, *loops]
        self.dims = {value: dim for dim, value in enumerate(self.values)}
        self.space = non_negative(context, len(sizes)).add_dims(SET, len(axes) + len(loops))

    def check(self) -> None:
        """Raises PassError if the access happens, and is outside."""
        points = self._points()
        if points is None:
            return
        buffer, box = self._box()
        for axis, (subscript, side) in enumerate(zip(self._subscripts(), box, strict=True)):
            begin, extent = side
            if subscript is None or begin is None or extent is None:
                continue
            place = subscript + begin * -1
            for beyond in (place * -1 + -1, place + extent * -1):
                outside = points.intersect(self._where([Constraint(beyond, False)]))
                if not outside.is_empty():
                    forms = (subscript, begin, extent)
                    message = self._message(buffer, axis, outside, forms)
                    raise PassError(message, self.op)

    def _form(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> Form:
        known = {k: affine_form(operands[k], self.dims) for k in expr.used_dims()}
        if None in known.values():
            return None
        forms = [known.get(k) or AffineExpr.constant(0) for k in range(len(operands))]
        return expr.replace_dims_and_symbols(forms, ())

    def _where(self, constraints: Sequence[Constraint]) -> isl.Set:
        return constrained(self.space, constraints).to_set()

    def _points(self) -> isl.Set | None:
        """Where the access happens; None if that is not known."""
        points = self._where(self._declared())
        for op, inner in self.around:
            match op:
                case loop.ForOp():
                    runs = self._iterations(op)
                    if runs is None:
                        return None
                    points = points.intersect(self._where(runs))
                case scf.IfOp():
                    holds = condition(op.cond, self.dims, self.space)
                    if not holds.exact:
                        return None
                    if op.true_region.is_ancestor(inner):
                        points = points.intersect(holds.points)
                    else:
                        points = points.subtract(holds.points)
                case _:
                    return None
        return points

    def _declared(self) -> list[Constraint]:
        """Where the axes run."""
        found: list[Constraint] = []
        for axis, (lower, upper) in zip(self.axes, self.stage.bounds.pairs(), strict=False):
            position = AffineExpr.dimension(self.dims[axis])
            start, end = (self._form(bound, self.stage.sizes) for bound in (lower, upper))
            assert start is not None
            assert end is not None
            found += [Constraint(position - start, False), Constraint(end - position + -1, False)]
        return found

    def _iterations(self, op: loop.ForOp) -> list[Constraint] | None:
        position = AffineExpr.dimension(self.dims[op.induction_variable])
        lower, upper = (
            [self._form(expr, op.operands_) for expr in map.data.results]
            for map in (op.lower, op.upper)
        )
        distances = [(position, form) for form in lower]
        distances += [(form, position + 1) for form in upper]
        known = [
            Constraint(above + below * -1, False)
            for above, below in distances
            if above is not None and below is not None
        ]
        return known if len(known) == len(distances) else None

    def _subscripts(self) -> list[Form]:
        if isinstance(self.op, memref.LoadOp | memref.StoreOp):
            return [affine_form(index, self.dims) for index in self.op.indices]
        return [self._form(expr, self.op.operands_) for expr in self.op.subscripts]

    def _box(self) -> tuple[SSAValue, list[tuple[Form, Form]]]:
        """The buffer, and the begin and extent of each of its axes, in its coordinates."""
        if isinstance(self.op, memref.LoadOp | memref.StoreOp):
            buffer, zero = self.op.memref, AffineExpr.constant(0)
            made = buffer.owner
            if not isinstance(made, BoxBufferOp):
                return buffer, [(None, None)] * len(self.op.indices)
            extents = made.extents.data.results[made.left_out :]
            return buffer, [(zero, self._form(extent, made.operands_)) for extent in extents]
        made = self.op.tensor.owner
        assert isinstance(made, loop.RealizeOp)
        sides = zip(made.offsets.data.results, made.extents.data.results, strict=True)
        return made.tensor, [
            (self._form(begin, made.operands_), self._form(extent, made.operands_))
            for begin, extent in sides
        ]

    def _message(
        self,
        buffer: SSAValue,
        axis: int,
        outside: isl.Set,
        forms: Sequence[AffineExpr],
    ) -> str:
        point = outside.sample_point()
        numbers = [point.get_coordinate_val(SET, k).to_python() for k in range(len(self.values))]
        at, begin, extent = (form.eval(numbers, ()) for form in forms)
        name = buffer.name_hint or "a buffer"
        stores = isinstance(self.op, memref.StoreOp | loop.StoreOp)
        shown = ", ".join(str(at) if k == axis else "?" for k in range(len(self._subscripts())))
        runs = f"runs from {begin} to {begin + extent - 1}" if extent > 0 else "is empty"
        names = [value.name_hint or "a value" for value in self.values]
        known = ", ".join(f"{name} = {n}" for name, n in zip(names, numbers, strict=True))
        does = f'stage "{name_of(self.stage)}" {"stores" if stores else "loads"}'
        return f"{does} {name}[{shown}], but axis {axis} of {name} {runs}" + (
            f" ({known})" if known else ""
        )
