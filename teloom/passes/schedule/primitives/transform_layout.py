"""`schedule.transform_layout`: the layout of the elements of a tensor in memory."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.own_storage import require_equation, store
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyTransformLayout(Primitive):
    """Sets the layout of a stage, or of an argument."""

    commands = (schedule.TransformLayoutOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.TransformLayoutOp, rewriter: PatternRewriter):
        if op.stage is None:
            self._of_argument(op)
            return
        stage = self.stage(op.stage, op)
        require_equation(stage, op)
        axes = stage.root_axes[: stage.data_axis_count]
        if op.layout.map.data.num_dims != len(axes):
            raise ScheduleError(
                f'a layout over {op.layout.map.data.num_dims} axes for "{name_of(stage)}", whose '
                f"data axes are {schedule.axis_names(axes) or 'none'}",
                op,
            )
        store(stage, stage.storage.laid_out(op.layout), op)

    def _of_argument(self, op: schedule.TransformLayoutOp) -> None:
        assert op.argument is not None
        number, func = self.argument(op.argument, op), self.func
        rank = len(func.shape_of(number))
        if op.layout.map.data.num_dims != rank:
            name = func.tensors[number].name_hint or f"argument {number}"
            raise ScheduleError(
                f"a layout over {op.layout.map.data.num_dims} axes for {name}, which has {rank}", op
            )
        count = len(func.tensors) + len(func.return_op.values)
        placements = [func.placement_of(position) for position in range(count)]
        placements[number] = placements[number]._replace(layout=op.layout)
        func.place(placements)
