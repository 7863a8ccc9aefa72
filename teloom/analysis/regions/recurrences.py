"""Whether each step of a recurrence reads only what earlier steps have computed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from xdsl.ir import SSAValue

from teloom.analysis.regions.scan_regions import too_late
from teloom.analysis.regions.stage_loops import StageRegion
from teloom.analysis.sets.integer_sets import at_least
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.stages.declared_order import is_reordered_scan
from teloom.analysis.stages.queries import Read, name_of, reader_of
from teloom.analysis.stages.read_maps import (
    Coordinate,
    ReadMaps,
    Root,
    element_at,
    instance_at,
)
from teloom.dialects import schedule, te
from teloom.errors import PassError


def check_step(
    read: Read,
    accesses: ReadMaps,
    instances: Points,
    regions: Mapping[schedule.StageOp, StageRegion],
) -> None:
    """Raises PassError, with a witness, if `read` may find a state that is not computed yet.

    The state has to be of an earlier time than every step that is not computed yet. Of loops in
    another order than that of time `check_times` says what equations say.
    """
    state = read.tensor.owner
    if not isinstance(state, schedule.StateOp):
        return
    if isinstance(read, te.BufferOp) and not reader_of(read).root_axes:
        raise PassError(
            f'"{name_of(reader_of(read))}" is an extern and takes a buffer of the state of '
            f'"{name_of(state.stage)}", which has only the elements of earlier times; an equation '
            "reads them one by one",
            read,
        )
    if is_reordered_scan(state.stage):
        return
    elements, time = accesses.of(read).elements, time_of(state.stage)
    steps = times_at(state.stage, regions, regions[reader_of(read)].values)
    pairs = instances.intersect(elements).intersect(steps)
    late = pairs.where(at_least(pairs.dim(Coordinate(0)), pairs.dim(time)))
    if not late.set.is_empty():
        witness = late.over([*dict.fromkeys([*elements.names, time])])
        point = witness.sample()
        raise PassError(_witness(read, accesses, point, point[time]), read)


def check_times(
    scan: schedule.StageOp, stages: Iterable[schedule.StageOp], accesses: ReadMaps
) -> None:
    """Raises PassError, with a witness, if a step may read its own time or a later one.

    It is about what equations say: in another order of loops than that of time, steps of several
    times run in turn, and whether they find what they read is a question for `check-schedule`.
    """
    found = too_late(scan, stages, accesses)
    if found is not None:
        raise PassError(_witness(found.read, accesses, found.point, found.time), found.read)


def time_of(scan: schedule.StageOp) -> Root:
    """The name of the time of a step of a recurrence."""
    return Root(scan.root_axes[0])


def times_at(
    scan: schedule.StageOp,
    regions: Mapping[schedule.StageOp, StageRegion],
    values: Collection[SSAValue],
) -> Points:
    """The steps of a recurrence at which a stage in it runs, for fixed `values` of that stage."""
    fixed = (value for value in regions[scan].values if value in values)
    return regions[scan].instances.over([*fixed, time_of(scan)])


def _witness(read: Read, accesses: ReadMaps, point: Mapping[Name, int], time: int) -> str:
    """An element that is read too early: the instance that reads it, and its step."""
    access, state = accesses.of(read), read.tensor.owner
    assert isinstance(state, schedule.StateOp)
    at, element = instance_at(point, reader_of(read)), access.shown(element_at(point))
    scan = name_of(state.stage)
    known = accesses.sizes_at(point)
    sizes = f" (here {known})" if known else ""
    return (
        f'stage "{name_of(reader_of(read))}" at {at} reads {scan}{element} before time {time} of '
        f"{scan} is computed; a step can read earlier times only{sizes}"
    )
