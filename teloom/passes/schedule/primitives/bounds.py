"""`schedule.bound`, `schedule.bound_extent`, `schedule.align_bounds`: where a region lies."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.passes.schedule.own_storage import require_data_axis, require_temporary
from teloom.passes.schedule.primitives.handles import Primitive

_Command = schedule.BoundCommand | schedule.AlignBoundsOp


class ApplyBounds(Primitive):
    """Writes the bounds of an axis into its stage, in the place of earlier ones."""

    commands = (schedule.BoundOp, schedule.BoundExtentOp, schedule.AlignBoundsOp)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Command, rewriter: PatternRewriter):
        stage = self.stage_of(op.axis, op)
        require_data_axis(stage, op.axis, op)
        if aligns := isinstance(op, schedule.AlignBoundsOp):
            name = schedule.axis_name(op.axis)
            require_temporary(stage, f'align the bounds of axis {name} of "{name_of(stage)}"', op)
            remainder = 0 if op.remainder is None else op.remainder.get()
            new = schedule.BoundedOp(op.axis, modulus=op.modulus.get(), remainder=remainder)
        else:
            numbers = {"from": op.start, "extent": op.extent.get()}
            new = schedule.BoundedOp(op.axis, **numbers)
        for earlier in [*stage.body.block.ops]:
            if isinstance(earlier, schedule.BoundedOp) and earlier.axis is op.axis:
                if (earlier.modulus is not None) == aligns:
                    Rewriter.erase_op(earlier)
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(stage.order))
