"""Whether loops visibly run through axes in the order in which these are declared."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from teloom.analysis.stages.queries import kind_of, states_of
from teloom.dialects import schedule


def runs_through(
    leaves: Sequence[SSAValue], axes: Sequence[SSAValue], stage: schedule.StageOp
) -> bool:
    """Whether loops of some leaves run through root axes one after another, the first slowest.

    Axes that are split, shifted, or fused in a row, still do.
    """
    found = [*axes]
    for relation in stage.relations:
        consumed = [*relation.consumed]
        if not {*consumed} & {*found}:
            continue
        place = found.index(next(axis for axis in consumed if axis in found))
        in_row = found[place : place + len(consumed)] == consumed
        if not in_row or not relation.KEEPS_ORDER:
            return False
        found[place : place + len(consumed)] = relation.results
    in_front = [*leaves[: len(found)]]
    return found == in_front and all(kind_of(leaf).one_after_another for leaf in in_front)


def has_order_of_time(scan: schedule.StageOp) -> bool:
    """Whether the outermost loops of a recurrence run through time, from step to step."""
    return runs_through(scan.order.axes, scan.root_axes[:1], scan)


def is_reordered_scan(stage: schedule.StageOp) -> bool:
    """Whether a stage is a recurrence whose loops do not run from step to step."""
    return bool(states_of(stage)) and not has_order_of_time(stage)
