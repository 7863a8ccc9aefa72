"""The iterations of the loops around a stage in which it is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.regions.stage_loops import ComputePlace, StageRegion
from teloom.analysis.regions.windows import first_needed
from teloom.analysis.sets.integer_sets import (
    DIV,
    SET,
    constrained,
    universe,
    without_divisions,
)
from teloom.analysis.sets.loop_bounds import covered
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.declared_order import is_reordered_scan
from teloom.analysis.stages.queries import (
    Read,
    ended_by_data,
    fixed_axes,
    is_leaf,
    loops_around,
    path_to_storage,
    result_behind,
    shares_loops,
    stage_of,
    stages_around,
    states_of,
)
from teloom.analysis.stages.relations.meaning import Fact
from teloom.analysis.stages.threads import has_threads
from teloom.dialects import schedule
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.bodies.preorder import ops_in

Regions = Mapping[schedule.StageOp, StageRegion]


def place_in(region: StageRegion, axes: Sequence[SSAValue], known: Sequence[Fact]) -> ComputePlace:
    """The place in the loops of these leaf axes of a stage; `known` holds everywhere."""
    fixed = {*region.place.values, *fixed_axes(stage_of(axes[0]), axes)}
    values = [value for value in region.values if value in fixed]
    context = _with_axes(region.place.around, region)
    around = _loops(context, region, axes)
    loops = Points(region.values, around.to_set())
    for fact in [*known, *region.facts]:
        # Loops can go beyond what relations allow, and leave it to guards.
        if fixed.issuperset(fact.axes) and _holds(fact, loops):
            around = constrained(around, fact.then)
    for dim in _others(region.values, values):
        around = around.project_out(SET, dim, 1)
    kept = [dim for dim, value in enumerate(region.values) if value in fixed]
    around = without_divisions(around, range(len(values)))
    return ComputePlace(values, _over(kept, region.exprs), region.place.sizes, around)


def _over(kept: Sequence[int], exprs: Sequence[AffineExpr]) -> list[AffineExpr]:
    """The dimensions that are kept, as expressions over these alone."""
    here = {dim: AffineExpr.dimension(position) for position, dim in enumerate(kept)}
    return [replace_dims(exprs[dim], here.__getitem__) for dim in kept]


def by_what_matters(place: ComputePlace, elements: Points) -> tuple[ComputePlace, Points]:
    """A place and elements at it, by those of its values that make a difference to these.

    So sets in deep nests have few dimensions. All stay where there are axes that are not linear
    in loops, for which another loop can be the simpler word, and where isl needs a division to
    say of the rest what it said of all.
    """
    around, loops = place.around, range(place.sizes, len(place.values))
    if around.dim(DIV) or not all(is_leaf(place.values[dim]) for dim in loops):
        return place, elements
    axes = len(elements.names) - len(place.values)
    needed = elements.set.gist(around.add_dims(SET, axes).to_set())
    unused = {dim for dim in loops if not needed.involves_dims(SET, dim, 1)}
    for dim in sorted(unused, reverse=True):
        around, needed = around.project_out(SET, dim, 1), needed.project_out(SET, dim, 1)
    if not unused or around.dim(DIV):
        return place, elements
    kept = [dim for dim in range(len(place.values)) if dim not in unused]
    found = ComputePlace(
        [place.values[dim] for dim in kept], _over(kept, place.exprs), place.sizes, around
    )
    needed = needed.intersect(around.add_dims(SET, axes).to_set())
    return found, Points([*found.values, *elements.names[len(place.values) :]], needed)


def by_all_loops(stages: Sequence[schedule.StageOp]) -> set[schedule.StageOp]:
    """The stages whose regions are asked for by all loops around, whatever these are for.

    They are around what is stored further out or folded, and around loops that look ahead; where
    there are scans or threads, all of the stages are.
    """
    if any(states_of(stage) or has_threads(stage) for stage in stages):
        return {*stages}
    found: set[schedule.StageOp] = set()
    for stage in stages:
        if stage.is_stored_elsewhere or stage.storage.folds or schedule.ahead_in(stage):
            found.update((stage, *stages_around(stage)))
    return found


def where_run(
    elements: Points, stage: schedule.StageOp, within: ComputePlace, regions: Regions
) -> Points:
    """The elements at the place of a stage, at iterations that the loops around have.

    They are over the values of all these loops, and then their own axes.
    """
    around = iterations_around(stage, within, regions)
    own = [name for name in elements.names if name not in around.names]
    return elements.intersect(around).over([*around.names, *own])


def newly_needed(stage: schedule.StageOp, regions: Regions) -> Points:
    """The elements that readers need and that no earlier iteration has left in storage."""
    within = regions[stage].within
    needed = where_run(regions[stage].computed.needed, stage, within, regions)
    inner = inside_storage(stage, within)
    is_left = all(map(is_leaf, inner)) and have_run(inner)
    return first_needed(needed, inner) if is_left else needed


def iterations_around(stage: schedule.StageOp, within: ComputePlace, regions: Regions) -> Points:
    """The iterations of all loops around a stage, as these run, by sizes and axes they fix.

    The `around` of a place may hold more: it has no divisions.
    """
    outer = [*stages_around(stage)]
    places = [within, *(regions[one].within for one in outer)]
    found = places[-1].points(places[-1].around)
    for one, place in reversed([*zip((stage, *outer), places, strict=True)][:-1]):
        found = _further_in(found, one, place, regions)
    return found


def _further_in(
    around: Points, stage: schedule.StageOp, within: ComputePlace, regions: Regions
) -> Points:
    """Iterations around the stage in which a stage is, with those of the loops it is in."""
    assert stage.enclosing is not None
    region = regions[stage.enclosing]
    everywhere = universe(around.set.get_ctx(), len(region.values))
    loops = Points(region.values, _loops(everywhere, region, loops_around(stage)).to_set())
    loops = loops.intersect(around)
    for fact in region.facts:
        if all(axis in within.values for axis in fact.axes) and _holds(fact, loops):
            loops = loops.where(*fact.then)
    kept = {*around.names, *within.values}
    return loops.over([name for name in loops.names if name in kept])


def _holds(fact: Fact, loops: Points) -> bool:
    """Whether the condition of a fact holds at all iterations of these loops."""
    return not fact.given or loops.set.is_subset(loops.where(*fact.given).set)


def inside_storage(stage: schedule.StageOp, place: ComputePlace) -> list[SSAValue]:
    """The axes around a stage, of its place's values, that are not around its storage.

    The loops stand first, in their order, and then axes that follow from them.
    """
    if not stage.is_stored_elsewhere:
        return []
    around = path_to_storage(stage)
    fixed = {axis for owner in map(stage_of, around) for axis in _fixed(owner, around)}
    inner = [axis for axis in place.values[place.sizes :] if axis not in fixed]
    return sorted(inner, key=lambda axis: not is_leaf(axis))


def have_run(inner: Sequence[SSAValue]) -> bool:
    """Whether loops have run in all their iterations before: none of them ends where data says."""
    return not any(axis in ended_by_data(stage_of(axis)) for axis in inner)


def reads_what_is_there(stage: schedule.StageOp) -> bool:
    """Whether all that a stage reads is there before the loops around it begin, or comes inside.

    Results of stages that share these loops come with them, and so do those of a scan whose steps
    do not run in order.
    """
    tensors = (result_behind(read.tensor) for read in ops_in(stage.definition, *get_args(Read)))
    owners = (tensor.owner for tensor in tensors)
    return not any(
        shares_loops(one) or is_reordered_scan(one)
        for one in owners
        if isinstance(one, schedule.StageOp)
    )


def _fixed(stage: schedule.StageOp, loops: Sequence[SSAValue]) -> set[SSAValue]:
    """The axes of a stage that are fixed by these loops, its own ones among them."""
    return fixed_axes(stage, [axis for axis in loops if stage_of(axis) is stage])


def _with_axes(around: isl.BasicSet, region: StageRegion) -> isl.BasicSet:
    """The iterations around a stage, with all its axes as further dimensions."""
    return around.add_dims(SET, len(region.values) - around.dim(SET))


def _loops(context: isl.BasicSet, region: StageRegion, axes: Sequence[SSAValue]) -> isl.BasicSet:
    """The iterations of the loops of these leaf axes, inside `context`."""
    dims = [region.values.index(axis) for axis in axes]
    return covered(context, dims, [region.bounds[axis] for axis in axes])


def _others(values: Sequence[SSAValue], kept: Sequence[SSAValue]) -> list[int]:
    """The positions of the `values` that are not kept, the last first."""
    remaining = set(kept)
    return [dim for dim, value in reversed([*enumerate(values)]) if value not in remaining]
