"""Loops from a map to time, `{ C[i, j] -> [i + j, j] }`: the maps of data and of reduce axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.ir.affine import AffineExpr, AffineMap

from teloom.analysis.sets.time_maps import TimeMapError, time_map
from teloom.dialects.affine.fold import replace_dims
from teloom.errors import ScheduleError
from teloom.frontend.expr.expressions import Const
from teloom.frontend.tensor.tensors import IterVar


class Loops(NamedTuple):
    """The loops of a map from axes, which are all data axes or all reduce axes."""

    axes: Sequence[IterVar]
    times: list[int]
    """Which of all times they are."""
    map: AffineMap


def loops_by_times(name: str, parts: Sequence[Sequence[IterVar]], text: str) -> Iterator[Loops]:
    """The loops of a stage, for each part of its axes, by a map from its points to time.

    Raises `teloom.ScheduleError` for what is no map of its points, or joins axes of two parts.
    """
    axes = [axis for part in parts for axis in part]
    try:
        times = time_map(text, name, [*map(_sides, axes)])
    except TimeMapError as error:
        raise ScheduleError(f"set_schedule of {name} by {text!r}: {error}") from None
    left = dict(enumerate(times))
    for part in filter(None, parts):
        points = {axes.index(axis): _point(axis, number) for number, axis in enumerate(part)}
        own = [number for number, time in left.items() if time.used_dims() <= {*points}]
        exprs = [replace_dims(left.pop(number), points.__getitem__) for number in own]
        yield Loops(part, own, AffineMap(len(part), 0, tuple(exprs)))
    for time in left.values():
        why = "joins a data axis and a reduce axis" if axes else "is a loop over no axis"
        raise ScheduleError(f"set_schedule of {name}: {time} {why}")


def _sides(axis: IterVar) -> tuple[int | None, int | None]:
    """The start and the extent of a root axis; None for one that is symbolic."""
    start, extent = (one.value if isinstance(one, Const) else None for one in axis.dom or ())
    return start, extent


def _point(axis: IterVar, number: int) -> AffineExpr:
    """The coordinate of a point along a root axis, which relations count from its start."""
    start, _ = _sides(axis)
    if start is None:
        raise ScheduleError(f"axis {axis.name} begins at a size; a map to time needs a number")
    return AffineExpr.dimension(number) + start
