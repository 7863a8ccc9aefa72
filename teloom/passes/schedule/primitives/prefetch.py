"""`schedule.prefetch`: a loop prefetches the elements that a later iteration reads."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import (
    is_leaf,
    is_stored_inside,
    kind_of,
    name_of,
    reads_inside,
)
from teloom.dialects import schedule
from teloom.dialects.loop import LoopKind
from teloom.errors import ScheduleError
from teloom.passes.schedule.named_tensor import named_tensor
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyPrefetch(Primitive):
    """Records the prefetch in the stage; the last command for a loop and a tensor wins.

    Whether it is legal is checked after all commands: a later one may still change the loop, and
    the readers of the tensor.
    """

    commands = (schedule.PrefetchOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.PrefetchOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        if (owner := self.stage_of(op.var, op)) is not stage:
            raise ScheduleError(
                f'cannot prefetch at axis {schedule.axis_name(op.var)} of "{name_of(stage)}": '
                f'the axis belongs to "{name_of(owner)}"',
                op,
            )
        tensor = named_tensor(self, op, op.tensor).value
        for earlier in _prefetches_of(stage):
            if earlier.axis is op.var and earlier.tensor is tensor:
                Rewriter.erase_op(earlier)
        prefetched = schedule.PrefetchedOp(tensor, op.var, op.offset.value.data)
        prefetched.location = op.location
        # Behind the stages that are computed inside: the tensor may be a result of one of them.
        Rewriter.insert_op(prefetched, InsertPoint.before(stage.definition))

    @classmethod
    def check(cls, stage: schedule.StageOp, sequence: schedule.SequenceOp) -> None:
        for op in _prefetches_of(stage):
            reason = _why_not(stage, op.axis, op.tensor)
            if reason is None:
                continue
            legal = [axis for axis in stage.order.axes if _why_not(stage, axis, op.tensor) is None]
            raise ScheduleError(
                f"cannot prefetch {_name(op.tensor)} at axis {schedule.axis_name(op.axis)} of "
                f'"{name_of(stage)}": {reason}; legal axes: {schedule.axis_names(legal)}',
                op,
            )


def _why_not(stage: schedule.StageOp, axis: SSAValue, tensor: SSAValue) -> str | None:
    if not is_leaf(axis):
        # Of a tile there are two: its command, and the relation that it has become.
        return schedule.consumed_text(axis, schedule.consumers_of(axis)[0])
    if not kind_of(axis).one_after_another:
        return f"it is {kind_of(axis).value}, so its iterations do not run one after another"
    for outer, kind in stage.order.leaves:
        if outer is axis:
            break
        if kind is LoopKind.VECTORIZED:
            return f"it is inside {schedule.axis_name(outer)}, which is vectorized"
    if not any(reads_inside(tensor, axis)):
        return "nothing in that loop reads it"
    if is_stored_inside(tensor, axis):
        return "it is stored inside that loop, so the iteration ahead has none of it yet"
    return None


def _prefetches_of(stage: schedule.StageOp) -> list[schedule.PrefetchedOp]:
    return [op for op in schedule.ahead_in(stage) if isinstance(op, schedule.PrefetchedOp)]


def _name(tensor: SSAValue) -> str:
    return tensor.name_hint or "a tensor"
