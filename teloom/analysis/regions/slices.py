"""Slices: the elements of its results that each point of an extern fills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import islpy as isl
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.boxes import Box
from teloom.analysis.sets.integer_sets import flat_set, simplified
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.stages.queries import name_of
from teloom.analysis.stages.read_maps import (
    Coordinate,
    ReadMaps,
    Root,
    coordinates,
    data_roots,
    element_at,
    instance_at,
)
from teloom.dialects import schedule, te
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.linear_forms import linear_terms
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.bodies.extern import Extern, axes_in, outputs_in
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import PassError


def points_filling(elements: Points, tensor: SSAValue, accesses: ReadMaps) -> Points:
    """The points of a stage that fill elements of its results: coordinates become roots.

    An equation fills an element at the point of its coordinates.
    """
    stage = tensor.owner
    assert isinstance(stage, schedule.StageOp)
    if stage.extern is None:
        return elements.renamed(coordinates(stage.data_axis_count), data_roots(stage))
    filled = filled_at(stage, stage.tensors.index(tensor), accesses)
    return elements.through(filled, filled.names_of(Coordinate))


def elements_filled(points: Points, tensor: SSAValue, accesses: ReadMaps) -> Points:
    """The elements that points of a stage fill: roots become coordinates."""
    stage = tensor.owner
    assert isinstance(stage, schedule.StageOp)
    if stage.extern is None:
        return points.renamed(data_roots(stage), coordinates(stage.data_axis_count))
    filled = filled_at(stage, stage.tensors.index(tensor), accesses)
    return points.through(filled, data_roots(stage))


def filled_at(stage: schedule.StageOp, result: int, accesses: ReadMaps) -> Points:
    """The pairs of a declared point and an element that it fills."""
    assert stage.extern is not None
    return _filled_in(stage.extern.body.block, stage, result, accesses)


def _filled_in(block: Block, stage: schedule.StageOp, result: int, accesses: ReadMaps) -> Points:
    """The pairs of `_filled`, for one region of the extern."""
    assert stage.extern is not None
    points, axes = [*accesses.sizes, *data_roots(stage)], stage.data_axis_count
    names = [*points, *coordinates(len(stage.extern.shape_of(result)))]
    space = isl.Space.set_alloc(accesses.context, 0, len(names))
    filled = Points(names, isl.Set.empty(space))
    for buffer in _slices(block, result):
        filled = filled.union(accesses.of(buffer).elements.over(names))
    return filled.intersect(accesses.inside(data_roots(stage), accesses.axis_box(stage)[:axes]))


def _slices(block: Block, result: int) -> Iterator[te.BufferOp]:
    for use in outputs_in(block)[result].uses:
        if isinstance(use.operation, te.BufferOp):
            yield use.operation


def check_slices(stage: schedule.StageOp, accesses: ReadMaps) -> None:
    """Raises PassError, with a witness, unless each element is filled at one point."""
    if stage.extern is None or not stage.root_axes:
        return
    for result in range(len(stage.tensors)):
        filled = filled_at(stage, result, accesses)
        _check_whole(stage, result, filled, accesses)
        _check_disjoint(stage, result, filled, accesses)
        if stage.extern.has_init:
            _check_init(stage, result, filled, accesses)


def _check_whole(stage: schedule.StageOp, result: int, filled: Points, accesses: ReadMaps) -> None:
    box = accesses.box(stage.tensors[result])
    whole = accesses.inside(coordinates(len(box)), box)
    missing = whole.subtract(filled.without(data_roots(stage)))
    if missing.set.is_empty():
        return
    point = missing.first()
    raise PassError(
        f"no point of {_named(stage, result)} fills element {element_at(point)}"
        f"{_where(point, accesses)}; the slices of all points must be the whole",
        stage,
    )


class _Other(NamedTuple):
    """The name of a coordinate of a second point."""

    root: Root


def _check_disjoint(
    stage: schedule.StageOp, result: int, filled: Points, accesses: ReadMaps
) -> None:
    one = data_roots(stage)
    other = [*map(_Other, one)]
    before = isl.Map.lex_lt(isl.Space.set_alloc(accesses.context, 0, len(one)))
    names = [*accesses.sizes, *one, *other, *filled.names_of(Coordinate)]
    both = filled.over(names).intersect(filled.renamed(one, other))
    both = both.intersect(Points([*one, *other], flat_set(before)))
    if both.set.is_empty():
        return
    point = both.first()
    at, later = ([point[name] for name in names] for names in (one, other))
    raise PassError(
        f"{_named(stage, result)} fills element {element_at(point)} at {at} and at "
        f"{later}{_where(point, accesses)}; the slices of two points must not meet",
        stage,
    )


def _check_init(stage: schedule.StageOp, result: int, filled: Points, accesses: ReadMaps) -> None:
    assert stage.extern is not None
    elsewhere = _filled_in(stage.extern.init.block, stage, result, accesses).subtract(filled)
    if elsewhere.set.is_empty():
        return
    point = elsewhere.first()
    raise PassError(
        f"the init region of {_named(stage, result)} fills element {element_at(point)} at "
        f"{instance_at(point, stage)}{_where(point, accesses)}, which the body does not",
        stage,
    )


def _named(stage: schedule.StageOp, result: int) -> str:
    name = f'stage "{name_of(stage)}"'
    return name if len(stage.tensors) == 1 else f"result {result} of {name}"


def _where(point: Mapping[Name, int], accesses: ReadMaps) -> str:
    sizes = accesses.sizes_at(point)
    return f" when {sizes}" if sizes else ""


def filled_box(
    extern: Extern, result: int, points: Box, values: Sequence[SSAValue]
) -> tuple[Box, Sequence[SSAValue]]:
    """(offset, extent) per axis of a result, around the slices of a box of points.

    The points are over `values`; the box is over dimensions that begin with these.
    """
    operands = OperandList(values)

    def over_operands(expr: AffineExpr, sizes: Sequence[SSAValue]) -> AffineExpr:
        return replace_dims(expr, lambda dim: operands.dim(sizes[dim]))

    ends: dict[SSAValue, tuple[AffineExpr, AffineExpr]] = {
        axis: (start, start + extent + -1)
        for axis, (start, extent) in zip(axes_in(extern.body.block), points, strict=False)
    }
    box = [(ZERO, over_operands(one, extern.sizes)) for one in extern.shape_of(result)]
    slices = list(_slices(extern.body.block, result))
    if len(slices) == 1 and extern.axes:
        (buffer,) = slices
        sides = zip(buffer.offsets.data.results, buffer.extents.data.results, strict=True)
        found = [_side(*side, buffer.operands_, ends, operands) for side in sides]
        box = [side or whole for side, whole in zip(found, box, strict=True)]
    return box, operands.values


def _side(
    offset: AffineExpr,
    extent: AffineExpr,
    values: Sequence[SSAValue],
    ends: Mapping[SSAValue, tuple[AffineExpr, AffineExpr]],
    operands: OperandList,
) -> tuple[AffineExpr, AffineExpr] | None:
    """A side from the least element to the greatest; None if these are not at ends of the axes."""
    steps, _, divisions = linear_terms((offset, 1))
    not_linear = {dim for division, _ in divisions for dim in division.used_dims()}
    if any(values[dim] in ends for dim in not_linear | extent.used_dims()):
        return None

    def at(dim: int, greatest: bool) -> AffineExpr:
        if values[dim] not in ends:
            return operands.dim(values[dim])
        first, last = ends[values[dim]]
        return last if greatest == (steps[dim] > 0) else first

    least = replace_dims(offset, lambda dim: at(dim, False))
    greatest = replace_dims(offset, lambda dim: at(dim, True))
    length = replace_dims(extent, lambda dim: at(dim, True))
    return simplified(least), simplified(greatest + least * -1 + length)
