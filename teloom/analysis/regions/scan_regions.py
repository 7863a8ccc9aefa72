"""The elements of a scan that have to be computed for those that are read.

A step needs earlier times. Along some axes, each element depends only on elements with the same
coordinate: the steps keep these coordinates apart, and only those that are read are computed.
Source: TVM's ScanFixPointAnalysis, on relations in place of subscripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.slices import points_filling
from teloom.analysis.sets.integer_sets import Constraint, at_least
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.stages.queries import (
    Read,
    reader_of,
    reads_of,
    reads_of_tensor,
    states_of,
)
from teloom.analysis.stages.read_maps import Coordinate, ReadMaps, Root, data_roots
from teloom.dialects import schedule

Side = tuple[AffineExpr, AffineExpr]
"""(offset, extent) of a box along an axis."""

LATER = "later"
"""The name of a later time, beside the time of an element that it needs."""

OF = "of"
"""The name of the coordinate, along an axis of a scan, for which something is evaluated."""

Evaluated = Mapping[schedule.StageOp, Points]
"""The instances of a scan and its steps that are evaluated for each such coordinate."""

MOST_PIECES = 8
"""Pieces of the set that one coordinate of a scan needs of a step; with more, its hull is taken."""


def with_what_it_needs(elements: Points, declared: Points, apart: Sequence[Root]) -> Points:
    """Elements of a scan, and those that the steps need for them.

    The steps keep coordinates along the axes in `apart` apart.
    """
    time, *others = declared.names_of(Root)
    needed = elements.without([axis for axis in others if axis not in apart])
    needed = needed.renamed([time], [LATER]).intersect(declared)
    return needed.where(at_least(needed.dim(LATER), needed.dim(time))).over(declared.names)


def fixed_times(times: Side, declared: Side, sizes: int) -> Side:
    """The times that are stored: all, if the last time depends on the loops around.

    All iterations then need the same memory, which is allocated once.
    """
    return declared if any(dim >= sizes for dim in times[1].used_dims()) else times


def axes_apart(
    scan: schedule.StageOp, stages: Iterable[schedule.StageOp], accesses: ReadMaps
) -> list[Root]:
    """The axes of a scan, without time, along which its steps keep coordinates apart.

    `stages` has those of the function, readers before what they read.
    """
    stages, axes = [*stages], range(1, scan.data_axis_count)
    return [data_roots(scan)[axis] for axis in axes if _keeps_apart(scan, axis, stages, accesses)]


class TooLate(NamedTuple):
    """A read of a state that is not of an earlier time: where it is, the element, and the time."""

    read: Read
    point: Mapping[Name, int]
    time: int


def too_late(
    scan: schedule.StageOp, stages: Iterable[schedule.StageOp], accesses: ReadMaps
) -> TooLate | None:
    """A read, for a step of a scan, of a state of the same time or a later one; None if none is.

    That is as the equations say, whatever the order of the loops.
    """
    evaluated = _evaluated(scan, 0, stages, accesses)
    for read in _reads_of_states(scan, evaluated):
        found = evaluated[reader_of(read)].intersect(accesses.of(read).elements)
        late = found.where(at_least(found.dim(Coordinate(0)), found.dim(OF)))
        if not late.set.is_empty():
            point = late.first()
            return TooLate(read, point, point[OF])
    return None


def _reads_of_states(scan: schedule.StageOp, evaluated: Evaluated) -> Iterator[Read]:
    reads = (read for state in states_of(scan) for read in reads_of_tensor(state.tensor))
    return (read for read in reads if reader_of(read) in evaluated)


def _is_inside(stage: schedule.StageOp, scan: schedule.StageOp) -> bool:
    return stage is not scan and scan.is_ancestor(stage)


def _keeps_apart(
    scan: schedule.StageOp, axis: int, stages: Iterable[schedule.StageOp], accesses: ReadMaps
) -> bool:
    """Whether each element depends only on elements with its coordinate along an axis."""
    evaluated = _evaluated(scan, axis, stages, accesses)
    return all(
        found.set.is_subset(found.where(same).set)
        for read in _reads_of_states(scan, evaluated)
        for found in [_read_for(read, evaluated, accesses)]
        for same in [Constraint(found.dim(Coordinate(axis)), True, found.dim(OF))]
    )


def _evaluated(
    scan: schedule.StageOp, axis: int, stages: Iterable[schedule.StageOp], accesses: ReadMaps
) -> Evaluated:
    """The instances that are evaluated for elements of a scan with one coordinate along an axis."""
    declared = accesses.inside(data_roots(scan), accesses.axis_box(scan)[: scan.data_axis_count])
    names = [*accesses.sizes, OF, *data_roots(scan)]
    of_scan = declared.over(names)
    same = Constraint(of_scan.dim(data_roots(scan)[axis]), True, of_scan.dim(OF))
    evaluated = {scan: of_scan.where(same)}
    for step in (stage for stage in stages if _is_inside(stage, scan)):
        reads = [read for read in reads_of(step) if reader_of(read) in evaluated]
        if reads:
            evaluated[step] = _around(
                points_filling(_read_for(read, evaluated, accesses), read.tensor, accesses)
                for read in reads
            )
    return evaluated


def _read_for(read: Read, evaluated: Evaluated, accesses: ReadMaps) -> Points:
    """The elements that a read reads for each coordinate of the scan."""
    found = evaluated[reader_of(read)].intersect(accesses.of(read).elements)
    return found.without(found.names_of(Root))


def _around(pieces: Iterable[Points]) -> Points:
    found = reduce(Points.union, pieces)
    whole = found.set.coalesce()
    if whole.n_basic_set() > MOST_PIECES:
        whole = whole.unshifted_simple_hull().to_set()
    return found._replace(set=whole)
