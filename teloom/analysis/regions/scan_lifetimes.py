"""When the elements of a scan are written and read: at a time of its loops, or after these.

A moment has three parts, in lexicographic order:

1. 0 in the loops of time, 1 after them;
2. the time;
3. 0 in front of the loops inside those of time, where stages are computed once for a time, and 1
   in these loops, where elements are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.recurrences import time_of, times_at
from teloom.analysis.regions.slices import points_filling
from teloom.analysis.regions.stage_loops import StageRegion, instances_of
from teloom.analysis.regions.windows import UnknownLifetimesError
from teloom.analysis.sets.integer_sets import Constraint, at_least, extreme, flat_set
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.stages.declared_order import has_order_of_time
from teloom.analysis.stages.queries import (
    Read,
    kind_of,
    leaves_of,
    loops_of,
    path,
    reader_of,
    reads_of_tensor,
    states_of,
)
from teloom.analysis.stages.read_maps import ReadMaps, coordinates, data_roots
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind


class Moment(Enum):
    """The names of the parts of a moment."""

    OVER = auto()
    TIME = auto()
    LATE = auto()


class InTime(NamedTuple):
    """The elements written and read, over the place's values, the moment, and data axes."""

    written: Points
    read: Points


def in_time(
    scan: schedule.StageOp,
    written: Points,
    read: Points,
    accesses: ReadMaps,
    regions: Mapping[schedule.StageOp, StageRegion],
) -> InTime:
    """The moments at which a scan writes elements, and at which its steps and others read them.

    `written` and `read` are over the values of its place and the data axes; `read` has the elements
    that others read. Raises UnknownLifetimesError for loops in another order than that of time.
    """
    if not has_order_of_time(scan):
        raise UnknownLifetimesError("its loops do not run from step to step")
    names = [*regions[scan].place.values, *Moment, *data_roots(scan)]
    read = _at(read.over(names), {Moment.OVER: 1, Moment.TIME: 0, Moment.LATE: 0})
    for state in states_of(scan):
        for one in reads_of_tensor(state.tensor):
            elements = _read_in_time(one, scan, accesses, regions)
            elements = points_filling(elements, scan.tensors[0], accesses).over(names)
            late = int(_is_late(one, scan))
            read = read.union(_at(elements, {Moment.OVER: 0, Moment.LATE: late}))
    written = _at(written.over(names), {Moment.OVER: 0, Moment.LATE: 1})
    own = Constraint(written.dim(Moment.TIME), True, written.dim(time_of(scan)))
    return InTime(written.where(own), read)


@dataclass(frozen=True)
class ComparedCoordinate:
    """The name of a coordinate of a write that is compared with a read, or with a write before."""

    name: Name


MOST_TIMES = 4
"""The most times that are stored at once by the order of all loops of a scan."""


def times_at_once(
    scan: schedule.StageOp,
    read: Points,
    accesses: ReadMaps,
    regions: Mapping[schedule.StageOp, StageRegion],
    asked: int | None,
) -> int:
    """How many times are stored at once, by the order of all loops, not of time alone.

    It is enough for F times that elements of one place are written in the order of time, and that
    none is read when that of F times later is written. An iteration reads before it writes, and
    a step runs in front of the loops inside those around it. `read` has the elements that others
    read. Raises UnknownLifetimesError if that does not hold for `asked`, or for few times.
    """
    region, roots = regions[scan], data_roots(scan)
    reads = [one for state in states_of(scan) for one in reads_of_tensor(state.tensor)]
    leaves = scan.order.axes
    is_inside = has_order_of_time(scan) or all(reader_of(one) is scan for one in reads)
    if not is_inside or not all(map(_is_in_order, leaves)):
        raise UnknownLifetimesError("its loops do not run from step to step")
    names = [*region.place.values, *leaves, *roots]
    own = names[len(region.place.values) :]
    written = region.instances.over(names)
    behind = written.renamed(own, [*map(ComparedCoordinate, own)])
    if _is_before(leaves, _at_one_place(written, behind, roots, 1)):
        raise UnknownLifetimesError("its loops do not run through the times of a place in order")
    around = [[leaf for leaf in leaves if leaf in loops] for loops in map(loops_of, reads)]
    found = [_elements_at(one, scan, accesses, regions).over(names) for one in reads]
    for factor in [asked] if asked is not None else range(1, MOST_TIMES + 1):
        met = (_at_one_place(elements, behind, roots, factor) for elements in found)
        kept = _at_one_place(read, behind, roots, factor)
        if kept.set.is_empty() and not any(map(_is_before, around, met)):
            return factor
    few = MOST_TIMES if asked is None else asked
    raise UnknownLifetimesError(f"its loops need more than {few} times at once")


def _elements_at(
    read: Read,
    scan: schedule.StageOp,
    accesses: ReadMaps,
    regions: Mapping[schedule.StageOp, StageRegion],
) -> Points:
    """The elements that are read of a state in each iteration of the loops around the read."""
    reader = regions[reader_of(read)]
    elements = instances_of(read, reader).intersect(accesses.of(read).elements)
    elements = elements.over([*reader.values, *coordinates(len(accesses.box(read.tensor)))])
    return points_filling(elements, scan.tensors[0], accesses)


def _at_one_place(elements: Points, behind: Points, roots: Sequence[Name], times: int) -> Points:
    """Elements, and writes of the same place, at least so many times later."""
    pairs = elements.intersect(behind)
    time, *space = roots
    same = (Constraint(pairs.dim(one), True, pairs.dim(ComparedCoordinate(one))) for one in space)
    return pairs.where(
        at_least(pairs.dim(ComparedCoordinate(time)), pairs.dim(time) + times), *same
    )


def _is_before(leaves: Sequence[SSAValue], pairs: Points) -> bool:
    """Whether the write of a pair may run before the other."""
    writes = [*map(ComparedCoordinate, leaves)]
    return any(not pairs.where(*step).set.is_empty() for step in pairs.steps(writes, leaves))


def _is_in_order(leaf: SSAValue) -> bool:
    """Whether code runs the iterations of a loop as if they came one after another.

    Lanes do: where they would not, no vector is made.
    """
    kind = kind_of(leaf)
    return kind.one_after_another or kind is LoopKind.VECTORIZED


def _at(points: Points, values: Mapping[Name, int]) -> Points:
    return points.where(
        *(
            Constraint(points.dim(name), True, AffineExpr.constant(value))
            for name, value in values.items()
        )
    )


def _read_in_time(
    read: Read,
    scan: schedule.StageOp,
    accesses: ReadMaps,
    regions: Mapping[schedule.StageOp, StageRegion],
) -> Points:
    """The elements that are read of a state, with the time of the read, over the place's values.

    What a stage reads for several times together, it reads before the first of them.
    """
    reader = regions[reader_of(read)]
    instances = instances_of(read, reader)
    elements = instances.intersect(accesses.of(read).elements)
    elements = elements.over([*reader.values, *coordinates(len(accesses.box(read.tensor)))])
    times = times_at(scan, regions, reader.values).renamed([time_of(scan)], [Moment.TIME])
    first = extreme(times.relation([Moment.TIME]), isl.Map.lexmin)
    found = Points(times.names, flat_set(first)).intersect(elements)
    kept = {*regions[scan].place.values}
    return found.without([value for value in reader.values if value not in kept])


def _is_late(read: Read, scan: schedule.StageOp) -> bool:
    """Whether a read is in the loops inside those of time, in which elements are written."""
    reader = reader_of(read)
    inside = set(scan.order.axes).difference(leaves_of(scan.root_axes[0]))
    return reader is scan or not inside.isdisjoint(path(reader))
