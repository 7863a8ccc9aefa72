"""`schedule.store_at`: a stage is stored further out than it is computed."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import (
    kind_of,
    legal_stores,
    name_of,
    path,
    places_text,
    qualified,
    stage_of,
    stored_of,
)
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyStoreAt(Primitive):
    """Leaves in the stage where it is stored.

    Whether that is around the place of computation is checked when all commands are
    applied: a later command may yet change that place.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.StoreAtOp, rewriter: PatternRewriter):
        stage, around = self.stage(op.stage, op), self.stage(op.parent_, op)
        self.stage_of(op.scope, op)  # refuses an axis that is gone
        if (owner := stage_of(op.scope)) is not around:
            raise ScheduleError(
                f'cannot store "{name_of(stage)}" at axis {schedule.axis_name(op.scope)} of '
                f'"{name_of(around)}": the axis belongs to "{name_of(owner)}"',
                op,
            )
        store(stage, op.scope, op)


def store(stage: schedule.StageOp, axis: SSAValue | None, command: Operation) -> None:
    """Says that a stage is stored in the loop of an axis, or at the root."""
    if (earlier := stored_of(stage)) is not None:
        Rewriter.erase_op(earlier)
    stored = schedule.StoredOp(axis)
    stored.location = command.location
    Rewriter.insert_op(stored, InsertPoint.before(stage.order))


def check_store(stage: schedule.StageOp) -> None:
    """Raises ScheduleError if a stage must not be stored where a command says."""
    stored = stored_of(stage)
    if stored is None or stored.axis in legal_stores(stage):
        return
    axes = path(stage)
    where = "at the root" if stored.axis is None else f"at axis {qualified([stored.axis])}"
    if stored.axis is not None and stored.axis not in axes:
        reason = "it is not computed inside that loop"
    else:
        inside = axes[axes.index(stored.axis) + 1 :] if stored.axis is not None else axes
        axis = next(axis for axis in inside if not kind_of(axis).one_after_another)
        reason = f"{qualified([axis])}, between there and where it is computed, is " + (
            f"{kind_of(axis).value}: its iterations do not run one after another"
        )
    legal = [axis for axis in legal_stores(stage) if axis is not None]
    places = places_text(legal) if None in legal_stores(stage) else qualified(legal)
    raise ScheduleError(
        f'cannot store "{name_of(stage)}" {where}: {reason}; legal places: {places}', stored
    )
