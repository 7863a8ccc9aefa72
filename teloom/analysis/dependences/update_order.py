"""Whether the loops of an update run points that depend on each other in their order.

Two points depend on each other if they touch the same element and one of them writes it. The one
that comes first in the domain has to come first in the loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import product
from typing import NamedTuple

import islpy as isl
from xdsl.ir import SSAValue

from teloom.analysis.dependences.flow import Later
from teloom.analysis.dependences.instances import InstanceSets
from teloom.analysis.dependences.refusals import iteration, out_of_order
from teloom.analysis.sets.integer_sets import Constraint, flat_set, more_than
from teloom.analysis.sets.modes import OverBudget, budget
from teloom.analysis.sets.points import Name, Points
from teloom.analysis.stages.accumulations import accumulation_of
from teloom.analysis.stages.declared_order import runs_through
from teloom.analysis.stages.queries import (
    Access,
    axes_of,
    in_until,
    is_reduce,
    kind_of,
    leaves_of,
    name_of,
    path,
    result_behind,
)
from teloom.analysis.stages.read_maps import ReadMaps, element_at, roots
from teloom.dialects import schedule, te
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.bodies.update import is_state
from teloom.dialects.syntax.stage_header import ZERO
from teloom.errors import ScheduleError

NEVER = more_than(ZERO, ZERO)


class ReorderedAccesses(NamedTuple):
    """Two accesses to one element, at two points that the loops do not run in this order."""

    first: Access
    second: Access
    point: dict[Name, int]
    in_any_order: bool


def check_update_order(
    stage: schedule.StageOp, sets: InstanceSets, operations: int, strict: bool
) -> None:
    """Raises ScheduleError, with two points, unless the loops of an update keep its order.

    With `strict`, an update whose points may come in any order has to keep its own, too. Also
    raises ScheduleError if the answer takes more isl `operations`.
    """
    _check_until(stage)
    if runs_through(_domain_leaves(stage), domain_of(stage), stage):
        return
    try:
        with budget(sets.context, operations):
            conflict = _conflict(stage, sets, strict)
    except OverBudget:
        raise ScheduleError(
            f'it takes more than {operations} isl operations to find whether "{name_of(stage)}" '
            f"may run in this order; its own is {schedule.axis_names(domain_of(stage))}",
            stage.order,
        ) from None
    if conflict is not None:
        raise _refusal(stage, conflict, sets)


def domain_of(stage: schedule.StageOp) -> Sequence[SSAValue]:
    """The root axes of the domain of an update."""
    return stage.root_axes[stage.data_axis_count :]


def _domain_leaves(stage: schedule.StageOp) -> list[SSAValue]:
    return [leaf for leaf in stage.order.axes if is_reduce(leaf)]


def _check_until(stage: schedule.StageOp) -> None:
    """Refuses loops in which the axis that ends early is not inside of all axes before it."""
    update = stage.update
    assert update is not None
    if update.ending is None:
        return
    domain, leaves = domain_of(stage), _domain_leaves(stage)
    ending, before = domain[update.ending], domain[: update.ending]
    name = schedule.axis_name(ending)
    if ending not in leaves or not kind_of(ending).one_after_another:
        raise ScheduleError(
            f'axis {name} of "{name_of(stage)}" ends early, so its loop has to be serial, and '
            "cannot be split, fused, shifted, reversed or skewed",
            stage.order,
            stage.order.command_apart(ending) if ending in leaves else None,
        )
    if {*leaves[: leaves.index(ending)]} != {leaf for one in before for leaf in leaves_of(one)}:
        raise ScheduleError(
            f'axis {name} of "{name_of(stage)}" ends early: outside of its loop are those of '
            f"{schedule.axis_names(before) or 'no axis'}, and no others; the order is "
            f"{schedule.axis_names(leaves)}",
            stage.order,
        )


def _conflict(
    stage: schedule.StageOp, sets: InstanceSets, strict: bool
) -> ReorderedAccesses | None:
    update, accesses = stage.update, sets.reads
    assert update is not None
    in_any_order = update.is_reorderable and not strict
    accumulation = accumulation_of(update) if in_any_order else None
    if accumulation is not None and accesses.of(accumulation.write).opaque:
        return None  # in any order, and at the same time into partial results of all elements
    pairs = _wrong_pairs(stage, sets, in_any_order)
    if pairs.set.is_empty():
        return None
    found = _meetings(stage, pairs, accesses)
    return next(
        (ReorderedAccesses(*both, met.sample(), in_any_order) for *both, met in found), None
    )


def _meetings(
    stage: schedule.StageOp, pairs: Points, accesses: ReadMaps
) -> Iterator[tuple[Access, Access, Points]]:
    """Pairs of accesses to one element, of which one writes, with the points of both."""
    touching = [
        op
        for inner in stage.definition.regions_with_values()
        for op in preorder(inner)
        if isinstance(op, te.ReadOp | te.WriteOp) and is_state(op.tensor)
    ]
    for first, second in product(touching, touching):
        writes = isinstance(first, te.WriteOp) or isinstance(second, te.WriteOp)
        if not writes or result_behind(first.tensor) is not result_behind(second.tensor):
            continue
        axes = roots(axes_of(second))
        later = accesses.of(second).elements.renamed(axes, [*map(Later, axes)])
        met = pairs.intersect(accesses.of(first).elements).intersect(later)
        if not met.set.is_empty():
            yield first, second, met


def distances(stage: schedule.StageOp, sets: InstanceSets) -> Points:
    """The distances from points of an update to the points that they depend on, axis by axis.

    Coordinate k is along axis k of the domain. All distances are lexicographically positive.
    """
    domain = roots(domain_of(stage))
    later: list[Name] = [*map(Later, domain)]
    points = sets.declared(stage).over([*sets.sizes, *domain])
    pairs = points.intersect(points.renamed(domain, later))
    before = isl.Map.lex_lt(isl.Space.set_alloc(points.set.get_ctx(), 0, len(domain)))
    pairs = pairs.intersect(Points([*domain, *later], flat_set(before)))
    found = isl.Set.empty(isl.Space.set_alloc(points.set.get_ctx(), 0, len(domain)))
    for *_, met in _meetings(stage, pairs, sets.reads):
        found = found.union(met.over([*domain, *later]).relation(later).deltas())
    return Points(range(len(domain)), found.coalesce())


def _wrong_pairs(stage: schedule.StageOp, sets: InstanceSets, in_any_order: bool) -> Points:
    """The pairs of points of which the first is earlier in the domain, but not in the loops."""
    leaves, domain = _domain_leaves(stage), roots(domain_of(stage))
    own: list[Name] = [*leaves, *domain]
    points = sets.of(stage).over([*sets.sizes, *path(stage), *own])
    pairs = points.intersect(points.renamed(own, [*map(Later, own)]))
    before = isl.Map.lex_lt(isl.Space.set_alloc(points.set.get_ctx(), 0, len(domain)))
    pairs = pairs.intersect(Points([*domain, *map(Later, domain)], flat_set(before)))
    wrong = [pairs.where(*constraints) for constraints in _not_before(leaves, pairs, in_any_order)]
    return reduce(Points.union, wrong, pairs.where(NEVER))


def _not_before(
    leaves: Sequence[SSAValue], pairs: Points, in_any_order: bool
) -> Iterator[list[Constraint]]:
    """Alternatives in which the first point of a pair does not run before the second one.

    Points that may come in any order must only not run at the same time. Two points always differ
    in some loop, even if it is not known how they follow from loops.
    """
    later = [*map(Later, leaves)]
    steps = zip(leaves, pairs.steps(leaves, later), pairs.steps(later, leaves), strict=True)
    for leaf, before, behind in steps:
        at_once = not kind_of(leaf).one_after_another
        if at_once or not in_any_order:
            yield behind
        if at_once:
            yield before


def _refusal(
    stage: schedule.StageOp, conflict: ReorderedAccesses, sets: InstanceSets
) -> ScheduleError:
    first, second, point, in_any_order = conflict
    name, axes, leaves = name_of(stage), roots(domain_of(stage)), _domain_leaves(stage)
    later: list[Name] = [*map(Later, leaves)]
    one, other = ([point[of(root)] for root in axes] for of in (lambda root: root, Later))
    element = f"{name}{sets.reads.of(second).shown(element_at(point))}"
    when = "before or after it" if in_any_order else "before"
    before = f"{'write' if isinstance(first, te.WriteOp) else 'read'} it {when}, at {one}"
    if sets.reads.of(first).opaque or sets.reads.of(second).opaque:
        does = f"may touch an element of {name} that {one} touches, and one of them writes it"
        before = f"run {one} {when}"
    elif isinstance(second, te.WriteOp):
        does = f"{'writes' if isinstance(first, te.WriteOp) else 'overwrites'} {element}"
    else:
        does = f"reads {element}{' to know whether its loop ends' if in_until(second) else ''}"
    sizes = sets.reads.sizes_at(point)
    # Points are those of the equation. Of the loops of some axes, sets only know the range.
    are_known = sets.opaque(stage) is None
    wrote, ran = (iteration(leaves, names, point) if are_known else "" for names in (later, leaves))
    return out_of_order(
        f'stage "{name}" at {other} {does}{f", at {wrote}" if wrote else ""}',
        before,
        ran,
        next(leaf for leaf in leaves if point[leaf] != point[Later(leaf)]),
        f" (here {sizes})" if sizes else "",
    )
