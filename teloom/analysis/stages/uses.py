"""Who needs what an instance of a stage computes: its readers, and theirs, up to an output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.integer_sets import Constraint
from teloom.analysis.sets.points import Name
from teloom.analysis.stages.domains import inside_bounds
from teloom.analysis.stages.queries import (
    Read,
    axes_of,
    bounds_from_data,
    is_output,
    name_of,
    reader_of,
    reads_of,
)
from teloom.analysis.stages.read_maps import (
    Coordinate,
    ReadMaps,
    data_roots,
    instance_at,
    roots,
)
from teloom.dialects import schedule

MOST_READERS = 4
"""That are named: a message has one line."""


def uses_of(stage: schedule.StageOp, point: Mapping[Name, int], accesses: ReadMaps) -> str:
    """How the element that a stage computes at a point is used, as words for a message.

    It reads `; B[3] is read by C[2], which is read by D[1]`, by what equations say. There is
    nothing of an output, which is needed anyway, nor where subscripts that depend on data decide.
    """
    readers = [*_readers(stage, point, accesses)]
    if not readers:
        return ""
    return f"; {_instance(stage, point)} is read by {', which is read by '.join(readers)}"


def _readers(
    stage: schedule.StageOp, point: Mapping[Name, int], accesses: ReadMaps
) -> Iterator[str]:
    for _ in range(MOST_READERS):
        if is_output(stage) or not isinstance(stage.definition, schedule.EquationOp):
            return
        found = ((read, _reading(read, stage, point, accesses)) for read in reads_of(stage))
        used = next(((read, at) for read, at in found if at is not None), None)
        if used is None:
            return
        stage, point = reader_of(used[0]), used[1]
        yield _instance(stage, point)


def _instance(stage: schedule.StageOp, point: Mapping[Name, int]) -> str:
    """An instance of a stage: the element that it computes, or where it runs."""
    if isinstance(stage.definition, schedule.EquationOp):
        return f"{name_of(stage)}{[point[root] for root in data_roots(stage)]}"
    return f"{name_of(stage)} at {instance_at(point, stage)}"


def _reading(
    read: Read, stage: schedule.StageOp, point: Mapping[Name, int], accesses: ReadMaps
) -> Mapping[Name, int] | None:
    """An instance that reads the element computed at the point, for the sizes there."""
    access, reader = accesses.of(read), reader_of(read)
    axes = [*axes_of(read)]
    are_first = [*reader.root_axes[: len(axes)]] == axes
    if access.opaque or bounds_from_data(reader):
        return None
    if not are_first and reader.bounds.over_axes():
        return None
    found = access.elements.intersect(accesses.inside(roots(axes), accesses.box_of(read)))
    if are_first:
        at = [found.dim(root) for root in roots(axes)]
        found = found.where(*inside_bounds(reader, accesses.sizes, at))
    wanted = {Coordinate(axis): point[root] for axis, root in enumerate(data_roots(stage))}
    wanted |= {size: point[size] for size in accesses.func.sizes}
    found = found.where(
        *(
            Constraint(found.dim(name), True, AffineExpr.constant(number))
            for name, number in wanted.items()
        )
    )
    return None if found.set.is_empty() else found.sample()
