"""`schedule.stream_stores`: the elements of a stage are stored past the caches."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of, states_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive, last_command


class ApplyStreamStores(Primitive):
    """Marks the stage as streamed."""

    commands = (schedule.StreamStoresOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.StreamStoresOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        stage.set_storage(stage.storage.past_caches())

    @classmethod
    def check(cls, stage: schedule.StageOp, sequence: schedule.SequenceOp) -> None:
        if not stage.storage.is_streamed:
            return
        reason = _why_not(stage)
        if reason is not None:
            command = last_command(stage, sequence, schedule.StreamStoresOp)
            raise ScheduleError(
                f'cannot stream the stores of "{name_of(stage)}": {reason}', command or stage
            )


def _why_not(stage: schedule.StageOp) -> str | None:
    """Why the elements of a stage must stay near; None if they need not."""
    if states_of(stage):
        return "it is a scan, whose steps read what earlier ones have stored"
    if stage.extern is not None:
        return "it is an extern, whose code stores as it likes"
    if stage.update is not None:
        return "it is an update, whose points read what earlier ones have stored"
    if stage.at is not None:
        return (
            f"it is computed at axis {schedule.axis_name(stage.at)}, in a loop of a stage that "
            "reads it at once; legal is a stage at the root"
        )
    if len(stage.root_axes) > stage.data_axis_count:
        return (
            "it is a reduction, which reads what it has stored; cache_write it, and stream the "
            "stage that copies the result"
        )
    return None
