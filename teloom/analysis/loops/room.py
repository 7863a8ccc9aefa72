"""How much larger the region of a tensor has to be to hold further elements."""

from __future__ import annotations

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.loops.longer_loops import box_of
from teloom.analysis.sets.integer_sets import aff_of
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.read_maps import Coordinate
from teloom.dialects import loop
from teloom.dialects.affine.linear_forms import difference


def has_buffers(tensor: SSAValue) -> bool:
    """Whether externs see the memory of a tensor, whose strides follow from its size."""
    return any(isinstance(use.operation, loop.BufferOp) for use in tensor.uses)


def room_for(tensor: SSAValue, elements: Points) -> list[tuple[int, int]] | None:
    """How many coordinates each axis lacks to hold elements, in front of the region and behind it.

    None if that is unbounded.
    """
    op = tensor.owner
    assert isinstance(op, loop.TensorRegionOp)
    context = elements.set.get_ctx()
    outside = elements.without_those_of(box_of(tensor, context))
    sets = IterationSets(context)
    sides = [(sets.coordinate(Coordinate(k)), *side) for k, side in enumerate(sets.box(op))]
    points = outside.over(sets.points([[]]).names).set
    fronts = (difference(offset, at) for at, offset, _ in sides)
    backs = (difference(at, offset + extent + -1) for at, offset, extent in sides)
    missing = [_most(points, distance) for distance in (*fronts, *backs)]
    known = [number for number in missing if number is not None]
    if len(known) < len(missing):
        return None
    return [*zip(known[: len(sides)], known[len(sides) :], strict=True)]


def _most(points: isl.Set, distance: AffineExpr) -> int | None:
    """The maximum of a distance over points, at least 0; None if it is unbounded."""
    if points.is_empty():
        return 0
    found = points.max_val(aff_of(distance, points.get_space()))
    return max(0, found.to_python()) if found.is_int() else None
