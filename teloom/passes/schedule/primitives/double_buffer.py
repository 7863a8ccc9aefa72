"""`schedule.double_buffer`, `schedule.ring_buffer`: a stage is computed ahead, into a copy."""

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import is_output, kind_of, name_of, qualified
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive, last_command


class ApplyDoubleBuffer(Primitive):
    """Writes the number of copies into the storage of the stage."""

    commands = (schedule.DoubleBufferOp, schedule.RingBufferOp)

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: schedule.DoubleBufferOp | schedule.RingBufferOp, rewriter: PatternRewriter
    ):
        stage = self.stage(op.stage, op)
        if is_output(stage):
            raise ScheduleError(
                f'cannot {_verb(op)} "{name_of(stage)}": it is an output, which the caller '
                "stores once",
                op,
            )
        copies = op.copies.get() if isinstance(op, schedule.RingBufferOp) else 2
        stage.set_storage(stage.storage.double_buffered(copies))

    @classmethod
    def check(cls, stage: schedule.StageOp, sequence: schedule.SequenceOp) -> None:
        if not stage.storage.is_double_buffered:
            return
        reason = _why_not(stage.at)
        if reason is not None:
            command = last_command(stage, sequence, *cls.commands)
            raise ScheduleError(
                f'cannot {_verb(command)} "{name_of(stage)}": {reason}', command or stage
            )


def _verb(command: Operation | None) -> str:
    return "ring-buffer" if isinstance(command, schedule.RingBufferOp) else "double-buffer"


def _why_not(at: SSAValue | None) -> str | None:
    """Why a stage at this axis cannot be computed for a next iteration; None if it can."""
    if at is None:
        return (
            "it is computed at the root, where no loop has a next iteration; compute_at gives "
            "it one"
        )
    if (kind := kind_of(at)) is LoopKind.SERIAL:
        return None
    return f"the loop around it, {qualified([at])}, is {kind.value}; it must be serial"
