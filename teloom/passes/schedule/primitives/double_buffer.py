"""`schedule.double_buffer`: a stage is computed one iteration ahead, into a second copy."""

from xdsl.dialects.builtin import UnitAttr
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import is_output, kind_of, name_of, qualified
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyDoubleBuffer(Primitive):
    """Writes on the stage that it has two copies."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.DoubleBufferOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        if is_output(stage):
            raise ScheduleError(
                f'cannot double-buffer "{name_of(stage)}": it is an output, which the caller '
                "stores once",
                op,
            )
        stage.properties["double_buffered"] = UnitAttr()


def check_double_buffered(stage: schedule.StageOp) -> None:
    """ScheduleError where there is no loop whose next iteration a stage is computed for."""
    if stage.double_buffered is None:
        return
    if stage.at is None:
        raise ScheduleError(
            f'cannot double-buffer "{name_of(stage)}": it is computed at the root, where no loop '
            "has a next iteration; compute_at gives it one",
            stage,
        )
    kind = kind_of(stage.at)
    if kind is not LoopKind.SERIAL:
        raise ScheduleError(
            f'cannot double-buffer "{name_of(stage)}": the loop around it, '
            f"{qualified([stage.at])}, is {kind.value}; it must be serial",
            stage,
        )
