"""`schedule.store_at`, `schedule.store_root`: a stage is stored further out than it is computed."""

from __future__ import annotations

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import (
    is_output,
    legal_stores,
    name_of,
    places_text,
    qualified,
    stage_of,
)
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive, last_command


class ApplyStoreAt(Primitive):
    """Sets the loop in which the stage is stored.

    Whether that loop is around the place of computation is checked after all commands: a later
    one may still change that place.
    """

    commands = (schedule.StoreAtOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.StoreAtOp, rewriter: PatternRewriter):
        stage, around = self.stage(op.stage, op), self.stage(op.parent_, op)
        self.stage_of(op.axis, op)  # refuses an axis of a stage that was inlined
        if (owner := stage_of(op.axis)) is not around:
            raise ScheduleError(
                f'cannot store "{name_of(stage)}" at axis {schedule.axis_name(op.axis)} of '
                f'"{name_of(around)}": the axis belongs to "{name_of(owner)}"',
                op,
            )
        stage.set_stored_at(op.axis)

    @classmethod
    def check(cls, stage: schedule.StageOp, sequence: schedule.SequenceOp) -> None:
        if not stage.is_stored_elsewhere:
            return
        axis, legal = stage.stored_at, legal_stores(stage)
        if axis in legal:
            return
        where = "at the root" if axis is None else f"at axis {qualified([axis])}"
        axes = [one for one in legal if one is not None]
        is_callers = "it is an output, which the caller stores"
        why = is_callers if is_output(stage) else "it is not computed inside that loop"
        raise ScheduleError(
            f'cannot store "{name_of(stage)}" {where}: {why}; legal places: {places_text(axes)}',
            last_command(stage, sequence, *_STORING) or stage,
        )


class ApplyStoreRoot(Primitive):
    """Stores the stage at the root; `ApplyStoreAt` checks the place."""

    commands = (schedule.StoreRootOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.StoreRootOp, rewriter: PatternRewriter):
        self.stage(op.stage, op).set_stored_at(None)


_STORING = (schedule.StoreAtOp, schedule.StoreRootOp, schedule.RollingBufferOp)
