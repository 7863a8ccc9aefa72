"""`schedule.storage_align`: an axis gets a stride of a given remainder, by padding."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.passes.schedule.own_storage import (
    require_data_axis,
    require_temporary,
    store,
)
from teloom.passes.schedule.primitives.handles import Primitive


class ApplyStorageAlign(Primitive):
    """Sets the alignment of an axis's stride; the last command on an axis wins."""

    commands = (schedule.StorageAlignOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.StorageAlignOp, rewriter: PatternRewriter):
        stage = self.stage_of(op.axis, op)
        require_data_axis(stage, op.axis, op)
        name = schedule.axis_name(op.axis)
        require_temporary(stage, f'align axis {name} of "{name_of(stage)}"', op)
        factor, offset = op.factor.value.data, op.offset.value.data
        axis = list(stage.root_axes).index(op.axis)
        store(stage, stage.storage.aligned(axis, factor, offset), op)
