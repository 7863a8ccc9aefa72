"""`schedule.set_scope`: the memory that a stage is stored in."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import is_output, name_of
from teloom.dialects import schedule
from teloom.dialects.syntax.scopes import GLOBAL
from teloom.errors import ScheduleError
from teloom.passes.schedule.primitives.handles import Primitive


class ApplySetScope(Primitive):
    """Sets the scope of the stage."""

    commands = (schedule.SetScopeOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.SetScopeOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        if is_output(stage) and op.scope.data != GLOBAL:
            raise ScheduleError(
                f'cannot store "{name_of(stage)}" in "{op.scope.data}": it is an output, which '
                f'the caller stores; legal: "{GLOBAL}"',
                op,
            )
        stage.set_storage(stage.storage.in_scope(op.scope.data))
