"""`schedule.merge`: two nests of the same extents become one."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.dialects.schedule import Align
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.stage_order.wishes import Together


class ApplyMerge(Primitive):
    """Notes which loops the stages share; that they are equal is known once they have ranges."""

    commands = (schedule.MergeOp,)
    is_about_loops = True

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.MergeOp, rewriter: PatternRewriter):
        stages = [self.leaf_stage(axis, op) for axis in (op.axis, op.other_axis)]
        names = [name_of(stage) for stage in stages]
        if stages[0] is stages[1]:
            raise ScheduleError(
                f'merge of two axes of "{names[0]}": loops of one stage are joined by fuse', op
            )
        depths = [
            list(stage.order.axes).index(axis)
            for stage, axis in zip(stages, (op.axis, op.other_axis), strict=True)
        ]
        if depths[0] != depths[1]:
            raise ScheduleError(
                f"merge of axis {schedule.axis_name(op.axis)}, which is in {depths[0]} loops of "
                f'"{names[0]}", with axis {schedule.axis_name(op.other_axis)}, which is in '
                f'{depths[1]} of "{names[1]}": only loops at one depth can be one',
                op,
            )
        asked = Together(names[0], names[1], op.other_axis, [Align.EQUAL], op)
        self.stages.order.together.append(asked)
