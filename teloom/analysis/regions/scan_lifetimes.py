"""When the elements of a scan are written and read: at a time of its loops, or after these.

A moment has three parts, in lexicographic order: 1 after the loops of time, 0 in them; the
time; and 0 before the loops inside those of time, where the steps are that are computed at
the time as a whole, 1 in these, where elements are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.recurrences import times_at
from teloom.analysis.regions.stage_loops import StageRegion
from teloom.analysis.sets.integer_sets import IN, SET, Constraint, extreme, flat_set, set_of
from teloom.analysis.stages.queries import (
    Read,
    in_init,
    leaves_of,
    path,
    reader_of,
    reads_of_tensor,
    states_of,
)
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.dialects import schedule


class InTime(NamedTuple):
    """Elements written and read, over (values of the place, moment, data axes).

    moment: the dimensions of the moment.
    """

    written: isl.Set
    read: isl.Set
    moment: list[int]


def in_time(
    scan: schedule.StageOp,
    written: isl.Set,
    read: isl.Set,
    accesses: ReadMaps,
    regions: Mapping[schedule.StageOp, StageRegion],
) -> InTime:
    """The moments at which a scan writes elements, and others, its steps too, read some.

    `written` and `read` are over the values of its place and the data axes; the latter has
    what others read.
    """
    first = len(regions[scan].place.values)
    over, time, late = moment = [first, first + 1, first + 2]
    read = read.insert_dims(SET, first, 3).fix_val(SET, over, 1)
    read = read.fix_val(SET, time, 0).fix_val(SET, late, 0)
    for state in states_of(scan):
        for one in reads_of_tensor(state.tensor):
            elements = _read_in_time(one, scan, accesses, regions)
            elements = elements.insert_dims(SET, over, 1).insert_dims(SET, late, 1)
            elements = elements.fix_val(SET, over, 0)
            read = read.union(elements.fix_val(SET, late, int(_is_late(one, scan))))
    written = written.insert_dims(SET, first, 3).fix_val(SET, over, 0).fix_val(SET, late, 1)
    own = AffineExpr.dimension(time) + AffineExpr.dimension(late + 1) * -1
    at_its_time = set_of(accesses.context, written.dim(SET), [Constraint(own, True)])
    return InTime(written.intersect(at_its_time.to_set()), read, moment)


def _read_in_time(
    read: Read,
    scan: schedule.StageOp,
    accesses: ReadMaps,
    regions: Mapping[schedule.StageOp, StageRegion],
) -> isl.Set:
    """(values of the scan's place, time, element): what is read of a state, and when.

    What is read for several times together is read before the first of them.
    """
    reader = regions[reader_of(read)]
    instances = reader.init_instances if in_init(read) else reader.instances
    elements = instances.apply_range(accesses.of(read).map)
    first = extreme(times_at(regions[scan], reader.values), isl.Map.lexmin)
    found = first.flat_range_product(elements)
    kept = set(regions[scan].place.values)
    for dim, value in reversed([*enumerate(reader.values)]):
        if value not in kept:
            found = found.project_out(IN, dim, 1)
    return flat_set(found)


def _is_late(read: Read, scan: schedule.StageOp) -> bool:
    """Whether a read is in the loops inside those of time, where elements are written."""
    reader = reader_of(read)
    inside = set(scan.order.axes).difference(leaves_of(scan.root_axes[0]))
    return reader is scan or not inside.isdisjoint(path(reader))
