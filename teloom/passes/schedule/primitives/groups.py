"""`schedule.group`: several stages under one handle, and those of them that a command places."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of, steps_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive, quoted, stage_names


class ApplyGroup(Primitive):
    """Checks that the group and each earlier one are disjoint or nested."""

    commands = (schedule.GroupOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.GroupOp, rewriter: PatternRewriter):
        names = stage_names(op.group)
        for earlier in _before(op):
            if not isinstance(earlier, schedule.GroupOp):
                continue
            others = stage_names(earlier.group)
            shared = [name for name in names if name in others]
            if shared and len(shared) < min(len(names), len(others)):
                raise ScheduleError(
                    f"the group of {quoted(names)} shares {quoted(shared)} with the group of "
                    f"{quoted(others)}, and neither holds the other",
                    op,
                )


def placed_stages(primitive: Primitive, op: schedule.PlaceCommand) -> list[schedule.StageOp]:
    """The stages that `op` places.

    Members of a group that were inlined are left out, and so are steps of a scan in the group,
    which stay in the scan.
    """
    if not isinstance(op.stage.owner, schedule.GroupOp):
        return [primitive.stage(op.stage, op)]
    stages = primitive.stages.all()
    placed = [stages[name] for name in placed_names(op) if name in stages]
    steps = {step for stage in placed for step in steps_of(stage)}
    return [stage for stage in placed if stage not in steps]


def placed_names(op: schedule.PlaceCommand) -> list[str]:
    """The names of the stages that `op` places.

    A stage that an earlier command placed by a smaller group, or alone, stays there.
    """
    named = stage_names(op.stage)
    own: set[str] = set()
    for earlier in _before(op):
        if isinstance(earlier, schedule.PlaceCommand):
            names = set(stage_names(earlier.stage))
            own |= names if names < set(named) else set()
    return [name for name in named if name not in own]


def placing_command(
    stage: schedule.StageOp, sequence: schedule.SequenceOp
) -> schedule.PlaceCommand | None:
    """The last command of a sequence that has placed a stage."""
    for command in reversed(list(sequence.body.block.ops)):
        if isinstance(command, schedule.PlaceCommand) and name_of(stage) in placed_names(command):
            return command
    return None


def _before(op: Operation) -> Iterator[Operation]:
    """The commands that stand before `op` in its sequence, the nearest first."""
    earlier = op.prev_op
    while earlier is not None:
        yield earlier
        earlier = earlier.prev_op
