"""Which points of an extern fill which elements of its results: slices, of each point one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import islpy as isl
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.boxes import Box
from teloom.analysis.sets.integer_sets import (
    IN,
    OUT,
    SET,
    constrained,
    flat_set,
    inside,
    non_negative,
    simplified,
)
from teloom.analysis.stages.queries import name_of
from teloom.analysis.stages.read_maps import ReadMaps
from teloom.dialects import schedule, te
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.linear_forms import linear_terms
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.bodies.extern import Extern, axes_in, outputs_in
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import PassError


def points_filling(elements: isl.Set, tensor: SSAValue, accesses: ReadMaps, values: int) -> isl.Set:
    """The points that fill elements: (values, element) -> (values, data axes).

    The sizes stand first in the first `values` dimensions. An equation fills an element at the
    point of its coordinates.
    """
    stage = tensor.owner
    assert isinstance(stage, schedule.StageOp)
    if stage.extern is None:
        return elements
    sizes, axes = len(accesses.sizes), stage.data_axis_count
    rank = elements.dim(SET) - values
    slices = flat_set(_filled(stage, stage.tensors.index(tensor), accesses))
    slices = slices.insert_dims(SET, sizes, values - sizes)
    elements = elements.insert_dims(SET, values, axes)
    return elements.intersect(slices).project_out(SET, values + axes, rank)


def elements_filled(points: isl.Set, tensor: SSAValue, accesses: ReadMaps, values: int) -> isl.Set:
    """The elements that points fill: (values, data axes) -> (values, element)."""
    stage = tensor.owner
    assert isinstance(stage, schedule.StageOp)
    if stage.extern is None:
        return points
    slices = _filled(stage, stage.tensors.index(tensor), accesses)
    rank = slices.dim(OUT)
    filled = flat_set(slices).insert_dims(SET, len(accesses.sizes), values - len(accesses.sizes))
    filled = filled.intersect(points.add_dims(SET, rank))
    return filled.project_out(SET, values, stage.data_axis_count)


def _filled(stage: schedule.StageOp, result: int, accesses: ReadMaps) -> isl.Map:
    """(sizes, data axes) -> element, at all points that are declared."""
    assert stage.extern is not None
    return _filled_in(stage.extern.body.block, stage, result, accesses)


def _filled_in(block: Block, stage: schedule.StageOp, result: int, accesses: ReadMaps) -> isl.Map:
    """What `_filled` gives, of one region of the extern."""
    assert stage.extern is not None
    sizes, axes = len(accesses.sizes), stage.data_axis_count
    points = map(AffineExpr.dimension, range(sizes, sizes + axes))
    around = non_negative(accesses.context, sizes).add_dims(SET, axes)
    declared = constrained(around, inside(points, accesses.axis_box(stage)[:axes]))
    rank = len(stage.extern.shape_of(result))
    filled = isl.Map.empty(isl.Space.alloc(accesses.context, 0, sizes + axes, rank))
    for buffer in _slices(block, result):
        access = accesses.of(buffer).map
        filled = filled.union(access.project_out(IN, sizes + axes, access.dim(IN) - sizes - axes))
    return filled.intersect_domain(declared.to_set())


def _slices(block: Block, result: int) -> Iterator[te.BufferOp]:
    for use in outputs_in(block)[result].uses:
        if isinstance(use.operation, te.BufferOp):
            yield use.operation


def check_slices(stage: schedule.StageOp, accesses: ReadMaps) -> None:
    """Raises PassError, with a witness, unless each element is filled at one point."""
    if stage.extern is None or not stage.root_axes:
        return
    for result in range(len(stage.tensors)):
        filled = _filled(stage, result, accesses)
        _check_whole(stage, result, filled, accesses)
        _check_disjoint(stage, result, filled, accesses)
        if stage.extern.has_init:
            _check_init(stage, result, filled, accesses)


def _check_whole(stage: schedule.StageOp, result: int, filled: isl.Map, accesses: ReadMaps) -> None:
    sizes = len(accesses.sizes)
    extents = accesses.extents(stage.tensors[result])
    coordinates = map(AffineExpr.dimension, range(sizes, sizes + len(extents)))
    around = non_negative(accesses.context, sizes).add_dims(SET, len(extents))
    whole = constrained(around, inside(coordinates, [(ZERO, extent) for extent in extents]))
    elements = flat_set(filled).project_out(SET, sizes, stage.data_axis_count)
    missing = whole.to_set().subtract(elements)
    if missing.is_empty():
        return
    numbers = _sample(missing)
    raise PassError(
        f"no point of {_named(stage, result)} fills element {numbers[sizes:]}"
        f"{_where(numbers, accesses)}; the slices of all points must be the whole",
        stage,
    )


def _check_disjoint(
    stage: schedule.StageOp, result: int, filled: isl.Map, accesses: ReadMaps
) -> None:
    sizes, axes = len(accesses.sizes), stage.data_axis_count
    first = flat_set(filled).insert_dims(SET, sizes + axes, axes)
    second = flat_set(filled).insert_dims(SET, sizes, axes)
    before = isl.Map.lex_lt(isl.Space.set_alloc(accesses.context, 0, axes))
    ordered = flat_set(before).insert_dims(SET, 0, sizes).add_dims(SET, filled.dim(OUT))
    both = first.intersect(second).intersect(ordered)
    if both.is_empty():
        return
    numbers = _sample(both)
    one, other = numbers[sizes : sizes + axes], numbers[sizes + axes : sizes + 2 * axes]
    raise PassError(
        f"{_named(stage, result)} fills element {numbers[sizes + 2 * axes :]} at {one} and at "
        f"{other}{_where(numbers, accesses)}; the slices of two points must not meet",
        stage,
    )


def _check_init(stage: schedule.StageOp, result: int, filled: isl.Map, accesses: ReadMaps) -> None:
    assert stage.extern is not None
    sizes, axes = len(accesses.sizes), stage.data_axis_count
    elsewhere = _filled_in(stage.extern.init.block, stage, result, accesses).subtract(filled)
    if elsewhere.is_empty():
        return
    numbers = _sample(flat_set(elsewhere))
    raise PassError(
        f"the init region of {_named(stage, result)} fills element {numbers[sizes + axes :]} at "
        f"{numbers[sizes : sizes + axes]}{_where(numbers, accesses)}, which the body does not",
        stage,
    )


def _sample(points: isl.Set) -> list[int]:
    point = points.lexmin().sample_point()
    return [point.get_coordinate_val(SET, k).to_python() for k in range(points.dim(SET))]


def _named(stage: schedule.StageOp, result: int) -> str:
    name = f'stage "{name_of(stage)}"'
    return name if len(stage.tensors) == 1 else f"result {result} of {name}"


def _where(numbers: Sequence[int], accesses: ReadMaps) -> str:
    # Products of sizes come last and have no names.
    pairs = zip(accesses.func.sizes, numbers, strict=False)
    values = [f"{size.name_hint or 'a size'} = {number}" for size, number in pairs]
    return f" when {', '.join(values)}" if values else ""


def filled_box(
    extern: Extern, result: int, points: Box, values: Sequence[SSAValue]
) -> tuple[Box, Sequence[SSAValue]]:
    """(offset, extent) per axis of a result, around the slices of a box of points.

    The points are over `values`; the box is over what is also given, which begins with them.
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
    """From the least to the greatest element; None where these are at no ends of the axes."""
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
