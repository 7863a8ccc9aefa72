"""The axes of a scan along which no element depends on elements with another coordinate."""

from __future__ import annotations

import islpy as isl

from teloom.analysis.regions.scan_regions import axes_apart
from teloom.analysis.stages.queries import all_stages, states_of
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.errors import Error
from teloom.frontend.expr.expressions import Extent
from teloom.frontend.schedule.applied import applied
from teloom.frontend.schedule.schedules import create_schedule
from teloom.frontend.tensor.tensors import IterVar, Operation, ScanOp


def scan_fix_points(op: Operation) -> dict[IterVar, Extent]:
    """For each axis of a scan but time, 1 if its steps keep coordinates apart there, or 0.

    They do if every state that an element depends on, through steps of steps, is read at the
    element's coordinate: a part of the axis can then be computed alone. Raises `teloom.Error` for
    any other operation. Source: TVM's te.schedule.ScanFixPointAnalysis.

    >>> from teloom import te
    >>> X, S = te.placeholder((8, 4, 6), name="X"), te.placeholder((8, 4, 6), name="S")
    >>> first = te.compute((1, 4, 6), lambda t, i, j: X[t, i, j], name="first")
    >>> following = te.compute(
    ...     (8, 4, 6), lambda t, i, j: S[t - 1, i, 5 - j] + X[t, i, j], name="following"
    ... )
    >>> scan = te.scan(first, following, S).op
    >>> list(te.schedule.ScanFixPointAnalysis(scan).values())
    [1, 0]
    """
    if not isinstance(op, ScanOp):
        raise Error(f"{op!r} is no scan")
    found = applied(create_schedule(op))
    stages = all_stages(found.func)[::-1]
    (scan,) = (one for one in stages if found.stages.get(op.name) is one and states_of(one))
    apart = axes_apart(scan, stages, ReadMaps(found.func, list(found.func.sizes), isl.Context()))
    names = {found.axes[root.axis] for root in apart}
    return {axis: Extent(axis in names) for axis in op.axis[1:]}
