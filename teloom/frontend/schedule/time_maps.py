"""Loops from a map to time, `{ C[i, j] -> [i + j, j] }`: the maps of data and of reduce axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.ir.affine import AffineExpr, AffineMap

from teloom.analysis.dependences.time_vectors import Nest
from teloom.analysis.sets.time_maps import Sides, TimeMap, TimeMapError, Tuple
from teloom.dialects.affine.fold import map_of_dims, replace_dims
from teloom.errors import ScheduleError
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.expressions import Var, as_expr
from teloom.frontend.tensor.tensors import IterVar, Operation
from teloom.frontend.tensor.updates import UpdateOp


class Loops(NamedTuple):
    """The loops of a map from axes, which are all data axes or all reduce axes."""

    axes: Sequence[IterVar]
    times: list[int]
    """Which of all times they are."""
    map: AffineMap


class StagePoints(NamedTuple):
    """Points of a stage, by a name and their axes, which are data axes, reduce axes or both.

    Of those of a start not all need to run.
    """

    name: str
    parts: Sequence[Sequence[IterVar]]
    is_start: bool = False

    @property
    def axes(self) -> list[IterVar]:
        return [axis for part in self.parts for axis in part]


def _forms_of(name: str, op: Operation) -> list[StagePoints]:
    """The points of a stage; of an update those of its domain, of its start, or of both.

    They are called as `te.explain` calls them.
    """
    both = StagePoints(name, (op.axis, op.reduce_axis))
    if not isinstance(op, UpdateOp):
        return [both]
    return [
        StagePoints(name, (op.reduce_axis,)),
        StagePoints(f"{name}.{Nest.INIT}", (op.axis,), is_start=True),
        both,
    ]


def loops_by_times(name: str, op: Operation, text: str, sizes: Sequence[Var]) -> Iterator[Loops]:
    """The loops of a stage, for each part of its axes, by a map from its points to time.

    Parameters of the map are sizes of the program, by their names. Raises `teloom.ScheduleError`
    for what is no map of its points, or joins axes of two parts.
    """
    forms = _forms_of(name, op)
    tuples = [_tuple(form, sizes) for form in forms]
    try:
        map = TimeMap(text, tuples)
        times = map.times([size.name for size in sizes])
    except TimeMapError as error:
        raise ScheduleError(f"set_schedule of {name} by {text!r}: {error}") from None
    parts, axes, sides = forms[map.number].parts, forms[map.number].axes, map.points.sides
    left = dict(enumerate(times))
    for part in filter(None, parts):
        around = {
            dim: AffineExpr.dimension(len(part) + number)
            for number, dim in enumerate(range(len(axes), len(axes) + len(sizes)))
        }
        here = dict(around)
        for number, axis in enumerate(part):
            position = axes.index(axis)
            start, _ = sides[position]
            here[position] = AffineExpr.dimension(number) + _over_sizes(start, around, axis)
        own = [number for number, time in left.items() if time.used_dims() <= here.keys()]
        exprs = [replace_dims(left.pop(number), here.__getitem__) for number in own]
        if not exprs:
            names = ", ".join(axis.name for axis in part)
            raise ScheduleError(f"set_schedule of {name} by {text!r}: no time depends on {names}")
        yield Loops(part, own, map_of_dims(len(part), exprs))
    for number, time in left.items():
        over = ", ".join(axes[dim].name for dim in sorted(time.used_dims()) if dim < len(axes))
        why = "joins a data axis and a reduce axis" if axes else "is a loop over no axis"
        of = f"time {number}{over and f', of {over},'}"
        raise ScheduleError(f"set_schedule of {name} by {text!r}: {of} {why}")


def _tuple(form: StagePoints, sizes: Sequence[Var]) -> Tuple:
    """The points of a form with the sides of their axes, over these and then sizes."""
    dims = {value: AffineExpr.dimension(dim) for dim, value in enumerate([*form.axes, *sizes])}
    sides = [_sides(axis, AffineForms(dims.get)) for axis in form.axes]
    return Tuple(form.name, [axis.name for axis in form.axes], sides, form.is_start)


def _sides(axis: IterVar, forms: AffineForms[AffineExpr | None]) -> Sides:
    """The start and the end of a root axis."""
    if axis.dom is None:
        return None, None
    return forms.of(as_expr(axis.dom.min)), forms.of(as_expr(axis.dom.end))


def _over_sizes(
    start: AffineExpr | None, sizes: Mapping[int, AffineExpr], axis: IterVar
) -> AffineExpr:
    """Where a root axis starts, from which relations count."""
    if start is None or not start.used_dims() <= sizes.keys():
        begin = "where a command says" if axis.dom is None else f"at {axis.dom.min}"
        raise ScheduleError(
            f"axis {axis.name} begins {begin}; a map to time needs axes that begin at a number, "
            "or at a sum of sizes"
        )
    return replace_dims(start, sizes.__getitem__)
