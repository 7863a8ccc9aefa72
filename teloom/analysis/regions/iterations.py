"""In which iterations of the loops around it a stage is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.stage_loops import Place, StageRegion
from teloom.analysis.regions.windows import first_needed
from teloom.analysis.sets.integer_sets import SET, constrained, without_divisions
from teloom.analysis.sets.loop_bounds import covered
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.queries import (
    fixed_axes,
    is_leaf,
    loops_around,
    path_to_storage,
    stage_of,
)
from teloom.analysis.stages.relations import Fact
from teloom.dialects import schedule
from teloom.dialects.affine.fold import replace_dims

Regions = Mapping[schedule.StageOp, StageRegion]


def place_in(region: StageRegion, axes: Sequence[SSAValue], known: Sequence[Fact]) -> Place:
    """The place in the loops of these leaf axes of a stage; `known` holds everywhere."""
    fixed = {*region.place.values, *fixed_axes(stage_of(axes[0]), axes)}
    values = [value for value in region.values if value in fixed]
    context = _with_axes(region.place.around, region)
    around = loops = _loops(context, region, axes)
    for fact in [*known, *region.facts]:
        # Loops can go beyond what relations allow, and leave it to guards.
        if fixed.issuperset(fact.axes) and _holds(fact, loops):
            around = constrained(around, fact.then)
    for dim in _others(region.values, values):
        around = around.project_out(SET, dim, 1)
    kept = [dim for dim, value in enumerate(region.values) if value in fixed]
    here = {dim: AffineExpr.dimension(position) for position, dim in enumerate(kept)}
    exprs = [replace_dims(region.exprs[dim], here.__getitem__) for dim in kept]
    around = without_divisions(around, range(len(values)))
    return Place(values, exprs, region.place.sizes, around)


def where_run(elements: Points, stage: schedule.StageOp, place: Place, regions: Regions) -> Points:
    """Of elements at the place of a stage, those at iterations that the loops around have."""
    return elements.intersect(place.points(iterations_around(stage, place, regions)))


def newly_needed(stage: schedule.StageOp, regions: Regions) -> Points:
    """What readers need of a stage and no earlier iteration has left in its storage."""
    place = regions[stage].place
    needed = where_run(regions[stage].computed.needed, stage, place, regions)
    inner = inside_storage(stage, place)
    return first_needed(needed, inner) if all(map(is_leaf, inner)) else needed


def iterations_around(stage: schedule.StageOp, place: Place, regions: Regions) -> isl.BasicSet:
    """The iterations of the loops around a stage, over its place's values, as these run.

    The place's `around` may hold more: it has no divisions.
    """
    enclosing = stage.enclosing
    if enclosing is None:
        return place.around
    region = regions[enclosing]
    context = _with_axes(iterations_around(enclosing, region.place, regions), region)
    loops = _loops(context, region, loops_around(stage))
    for fact in region.facts:
        if all(axis in place.values for axis in fact.axes) and _holds(fact, loops):
            loops = constrained(loops, fact.then)
    for dim in _others(region.values, place.values):
        loops = loops.project_out(SET, dim, 1)
    return loops


def _holds(fact: Fact, loops: isl.BasicSet) -> bool:
    """Whether what a fact takes for given holds wherever these loops run."""
    return not fact.given or loops.is_subset(constrained(loops, fact.given))


def inside_storage(stage: schedule.StageOp, place: Place) -> list[SSAValue]:
    """The axes around a stage, of its place's values, that are not around its storage.

    The loops stand first, in their order, and then what is made of them.
    """
    if not stage.is_stored_elsewhere:
        return []
    around = path_to_storage(stage)
    fixed = {axis for owner in map(stage_of, around) for axis in _fixed(owner, around)}
    inner = [axis for axis in place.values[place.sizes :] if axis not in fixed]
    return sorted(inner, key=lambda axis: not is_leaf(axis))


def _fixed(stage: schedule.StageOp, loops: Sequence[SSAValue]) -> set[SSAValue]:
    """The axes of a stage that these loops, some of them its own, give one value."""
    return fixed_axes(stage, [axis for axis in loops if stage_of(axis) is stage])


def _with_axes(around: isl.BasicSet, region: StageRegion) -> isl.BasicSet:
    """What is around a stage, with all its axes as further dimensions."""
    return around.add_dims(SET, len(region.values) - around.dim(SET))


def _loops(context: isl.BasicSet, region: StageRegion, axes: Sequence[SSAValue]) -> isl.BasicSet:
    """Where the loops of these leaf axes run, inside `context`."""
    dims = [region.values.index(axis) for axis in axes]
    return covered(context, dims, [region.bounds[axis] for axis in axes])


def _others(values: Sequence[SSAValue], kept: Sequence[SSAValue]) -> list[int]:
    """The positions of the `values` that are not kept, the last first."""
    remaining = set(kept)
    return [dim for dim, value in reversed([*enumerate(values)]) if value not in remaining]
