"""When the elements of a scan are written and read: at a time of its loops, or after these.

A moment has three parts, in lexicographic order:

1. 0 in the loops of time, 1 after them;
2. the time;
3. 0 in front of the loops inside those of time, where stages are computed once for a time, and 1
   in these loops, where elements are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import NamedTuple

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.recurrences import time_of, times_at
from teloom.analysis.regions.slices import points_filling
from teloom.analysis.regions.stage_loops import StageRegion, instances_of
from teloom.analysis.regions.windows import UnknownLifetimesError
from teloom.analysis.sets.integer_sets import Constraint, extreme, flat_set
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.stages.declared_order import has_order_of_time
from teloom.analysis.stages.queries import (
    Read,
    leaves_of,
    path,
    reader_of,
    reads_of_tensor,
    states_of,
)
from teloom.analysis.stages.read_maps import ReadMaps, coordinates, data_roots
from teloom.dialects import schedule


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
