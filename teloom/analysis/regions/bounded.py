"""The commands on the region of a stage: its alignment to whole blocks, and its bounds.

A promise of where it lies is proved, or becomes a condition on sizes, which each call checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl
from xdsl.ir.affine import AffineExpr

from teloom.analysis.sets.boxes import Box
from teloom.analysis.sets.integer_sets import (
    SET,
    Constraint,
    at_least,
    conjunction_of,
    more_than,
    non_negative,
    sample,
    with_known_divisions,
)
from teloom.analysis.sets.points import Points
from teloom.analysis.stages.queries import name_of
from teloom.analysis.stages.read_maps import data_roots
from teloom.dialects import schedule
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.errors import ScheduleError


def said_of(stage: schedule.StageOp) -> Iterator[tuple[int, schedule.BoundedOp]]:
    """The commands on the region of a stage, each with the number of its data axis."""
    for op in stage.body.block.ops:
        if isinstance(op, schedule.BoundedOp):
            yield list(stage.root_axes).index(op.axis), op


def in_whole_blocks(
    stage: schedule.StageOp, elements: Points, box: Box, declared: isl.BasicSet
) -> Points:
    """Elements of a stage, and all others up to the ends of the blocks that it asks for whole.

    `box` is around the elements, at each place.
    """
    for axis, op in said_of(stage):
        if op.modulus is None or op.remainder is None:
            continue
        factor, offset = op.modulus.get(), op.remainder.get()
        root, (start, extent) = data_roots(stage)[axis], box[axis]
        at = elements.dim(root)
        first = (start + -offset) // factor * factor + offset
        end = (start + extent + -offset).ceil_div(factor) * factor + offset
        lines = elements.without([root]).over(elements.names)
        found = lines.where(at_least(at, first), more_than(end, at)).set
        elements = elements._replace(set=found.intersect(declared.to_set()))
    return elements


def with_said_bounds(
    stage: schedule.StageOp, box: Box, elements: Points, sizes: int
) -> tuple[Box, list[list[Conjunction]]]:
    """The box of a stage as its schedule bounds it, and what has to hold of sizes for that.

    `elements` are all that are computed, at all places. Raises ScheduleError, with one of these,
    for what holds for no sizes.
    """
    found, conditions = list(box), list[list[Conjunction]]()
    for axis, op in said_of(stage):
        if op.extent is None:
            continue
        extent = AffineExpr.constant(op.extent.get())
        start = box[axis][0] if op.start is None else AffineExpr.constant(op.start.get())
        at = elements.dim(data_roots(stage)[axis])
        sides: Sequence[Constraint] = more_than(start, at), at_least(at, start + extent)
        outside = [elements.where(side).set for side in sides]
        failing = outside[0].union(outside[1])
        if not failing.is_empty():
            conditions.append(_holding(failing, sizes, stage, op))
        found[axis] = (start, extent)
    return found, conditions


def _holding(
    failing: isl.Set, sizes: int, stage: schedule.StageOp, op: schedule.BoundedOp
) -> list[Conjunction]:
    """The sizes for which no element is outside, as alternatives."""
    holding = sizes_outside(failing.project_out(SET, sizes, failing.dim(SET) - sizes))
    if not holding:
        point = sample(failing)
        rank = stage.data_axis_count
        element = ", ".join(map(str, point[len(point) - rank :]))
        name = schedule.axis_name(op.axis)
        start = "" if op.start is None else f" from {op.start.get()}"
        assert op.extent is not None
        raise ScheduleError(
            f'"{name_of(stage)}" is bound along axis {name}{start} to an extent of '
            f"{op.extent.get()}, but its element [{element}] is needed",
            op,
        )
    return holding


def sizes_outside(failing: isl.Set) -> list[Conjunction]:
    """The sizes that are not in a set of some, as alternatives: none of them if it has all."""
    every = non_negative(failing.get_ctx(), failing.dim(SET)).to_set()
    holding = with_known_divisions(every.subtract(failing).coalesce().compute_divs())
    if holding.is_empty():
        return []
    return [conjunction_of(piece) for piece in holding.gist(every).get_basic_sets()]
