"""Which elements of a scan are computed, so that those that are read can be.

A step needs earlier times. Along an axis on which each element follows only from elements of
the same coordinate, the steps keep coordinates apart: there just what is read is computed.
Source: TVM's ScanFixPointAnalysis, on relations in place of subscripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.slices import points_filling
from teloom.analysis.sets.integer_sets import (
    IN,
    OUT,
    SET,
    Constraint,
    constrained,
    flat_set,
    inside,
    non_negative,
    set_of,
)
from teloom.analysis.stages.queries import (
    Read,
    reader_of,
    reads_of,
    reads_of_tensor,
    states_of,
)
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.dialects import schedule

Side = tuple[AffineExpr, AffineExpr]
"""(offset, extent) of a box along an axis."""

MOST_PIECES = 8
"""Of what one coordinate of a scan needs of a step; with more, it is a hull."""


def with_what_it_needs(
    elements: isl.Set, declared: isl.BasicSet, first: int, apart: Sequence[int]
) -> isl.Set:
    """Elements of a scan, and those that the steps need for them.

    The axes of the scan are dimensions from `first` on; its steps keep those in `apart` apart.
    """
    for dim in range(first + 1, elements.dim(SET)):
        if dim - first not in apart:
            elements = elements.project_out(SET, dim, 1).insert_dims(SET, dim, 1)
    elements = elements.insert_dims(SET, first, 1)
    not_later = Constraint(
        AffineExpr.dimension(first + 1) + AffineExpr.dimension(first) * -1, False
    )
    until = set_of(elements.get_ctx(), elements.dim(SET), [not_later]).to_set()
    return elements.intersect(until).project_out(SET, first + 1, 1).intersect(declared.to_set())


def fixed_times(times: Side, declared: Side, sizes: int) -> Side:
    """The times that are stored: where they end with the loops around, all that there are.

    All iterations then need as much memory, which can be taken once.
    """
    return declared if any(dim >= sizes for dim in times[1].used_dims()) else times


def axes_apart(
    scan: schedule.StageOp, stages: Iterable[schedule.StageOp], accesses: ReadMaps
) -> list[int]:
    """The axes of a scan, but time, that its steps keep apart.

    `stages` has those of the function, readers before what they read.
    """
    inside_scan = [stage for stage in stages if _is_inside(stage, scan)]
    axes = range(1, scan.data_axis_count)
    return [axis for axis in axes if _keeps_apart(scan, axis, inside_scan, accesses)]


def _is_inside(stage: schedule.StageOp, scan: schedule.StageOp) -> bool:
    return stage is not scan and scan.is_ancestor(stage)


def _keeps_apart(
    scan: schedule.StageOp, axis: int, steps: Sequence[schedule.StageOp], accesses: ReadMaps
) -> bool:
    """Whether each element follows only from elements of its coordinate along an axis."""
    sizes = len(accesses.sizes)
    # (sizes, coordinate) -> (sizes, data axes): what is evaluated for elements of a coordinate.
    evaluated: dict[schedule.StageOp, isl.Map] = {scan: _elements_at(scan, axis, accesses)}
    for step in steps:
        reads = [read for read in reads_of(step) if reader_of(read) in evaluated]
        if reads:
            pieces = [_points_read(read, evaluated, accesses) for read in reads]
            evaluated[step] = _around(pieces)
    return all(
        found.is_subset(found.equate(IN, sizes, OUT, axis))
        for state in states_of(scan)
        for read in reads_of_tensor(state.tensor)
        if reader_of(read) in evaluated
        for found in [_elements_read(read, evaluated, accesses)]
    )


def _elements_at(scan: schedule.StageOp, axis: int, accesses: ReadMaps) -> isl.Map:
    """(sizes, coordinate) -> (sizes, axes): the elements of a scan with a coordinate."""
    sizes, rank = len(accesses.sizes), scan.data_axis_count
    coordinate, *coordinates = map(AffineExpr.dimension, range(sizes, sizes + 1 + rank))
    around = non_negative(accesses.context, sizes).add_dims(SET, 1 + rank)
    declared = inside(coordinates, accesses.axis_box(scan)[:rank])
    same = Constraint(coordinates[axis] + coordinate * -1, True)
    return _with_sizes(constrained(around, [*declared, same]).to_set(), sizes)


def _with_sizes(points: isl.Set, sizes: int) -> isl.Map:
    """(sizes, coordinate, axes) as (sizes, coordinate) -> (sizes, axes)."""
    axes = points.dim(SET) - sizes - 1
    found = isl.Map.from_domain(points).move_dims(OUT, 0, IN, sizes + 1, axes)
    found = found.insert_dims(OUT, 0, sizes)
    for size in range(sizes):
        found = found.equate(IN, size, OUT, size)
    return found


def _elements_read(
    read: Read, evaluated: Mapping[schedule.StageOp, isl.Map], accesses: ReadMaps
) -> isl.Map:
    """(sizes, coordinate) -> what a read reads for it."""
    access, points = accesses.of(read).map, evaluated[reader_of(read)]
    reduce_axes = access.dim(IN) - points.dim(OUT)
    return points.apply_range(access.project_out(IN, points.dim(OUT), reduce_axes))


def _points_read(
    read: Read, evaluated: Mapping[schedule.StageOp, isl.Map], accesses: ReadMaps
) -> isl.Map:
    """(sizes, coordinate) -> (sizes, data axes) of the stage that is read."""
    sizes = len(accesses.sizes)
    elements = flat_set(_elements_read(read, evaluated, accesses))
    return _with_sizes(points_filling(elements, read.tensor, accesses, sizes + 1), sizes)


def _around(pieces: Sequence[isl.Map]) -> isl.Map:
    found = pieces[0]
    for piece in pieces[1:]:
        found = found.union(piece)
    found = found.coalesce()
    return found if found.n_basic_map() <= MOST_PIECES else found.unshifted_simple_hull().to_map()
