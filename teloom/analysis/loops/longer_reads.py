"""Reads in a longer tile: whether they leave the region of a tensor, and on which sides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import islpy as isl
from xdsl.ir import SSAValue

from teloom.analysis.loops.iteration_sets import IterationSets
from teloom.analysis.loops.longer_loops import Longer, Touched
from teloom.analysis.loops.room import room_for
from teloom.analysis.loops.tiles import Tile
from teloom.analysis.sets.integer_sets import Constraint, at_least, more_than
from teloom.dialects import loop


class Side(NamedTuple):
    """A side of a region on an axis: its first coordinate, or the first one behind it."""

    axis: int
    is_behind: bool


def may_stay_inside(access: loop.LoadOp, tile: Tile, longer: Longer) -> bool:
    """Whether all reads of some extra iterations of a tile may stay inside of the region.

    That is so if the tile ends before the region does, as in a triangle, or begins behind it.
    """
    sets = IterationSets(isl.Context())
    bounds = sets.exprs([*tile.starts, *tile.ends], tile.op.operands_)
    around = sets.around(access, longer.ops)
    runs = [[*around, *one] for one in longer.extra(sets)]
    outside = [*_outside(access, sets)]
    asked = {dim for bound in bounds for dim in bound.used_dims()}
    leaving = sets.points([[*one, out] for one in runs for out in outside])
    counters = [name for name in leaving.names_of(SSAValue) if loop.is_counter(name)]
    others = [name for name in counters if leaving.names.index(name) not in asked]
    every = sets.points(runs).without(others)
    return not every.subtract(leaving.without(others)).set.is_empty()


def _outside(access: loop.LoadOp, sets: IterationSets) -> Iterator[Constraint]:
    """Alternatives, of which one holds for an element outside of the region."""
    region = access.tensor.owner
    assert isinstance(region, loop.TensorRegionOp)
    subscripts = sets.exprs(access.subscripts, access.operands_)
    for at, (offset, extent) in zip(subscripts, sets.box(region), strict=True):
        yield more_than(offset, at)
        yield at_least(at, offset + extent)


def sides_left(access: loop.LoadOp, longer: Longer, touched: Touched) -> list[Side]:
    """The sides of the region on which extra iterations read what is not there."""
    tensor: SSAValue = access.tensor
    room = room_for(tensor, touched.of(access, tensor, longer._replace(is_inside=False)))
    if room is None:
        return all_sides(access)
    return [
        Side(axis, is_behind)
        for axis, found in enumerate(room)
        for is_behind, number in enumerate(found)
        if number
    ]


def all_sides(access: loop.LoadOp) -> list[Side]:
    """Both sides of each axis."""
    axes = range(len(access.subscripts))
    return [Side(axis, is_behind) for axis in axes for is_behind in (False, True)]
