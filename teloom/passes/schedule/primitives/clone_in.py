"""`schedule.clone_in`: some readers of a stage get a second computation of it."""

from __future__ import annotations

from xdsl.ir import OpResult
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from teloom.analysis.stages.queries import name_of, states_of
from teloom.dialects import schedule
from teloom.errors import ScheduleError
from teloom.passes.schedule.caches import insert_producer, name_tensors, reads_by
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.unscheduled_stage import over_axes_of


class ApplyCloneIn(Primitive):
    """Creates a stage at the root with the same definition; the named readers read that."""

    commands = (schedule.CloneInOp,)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.CloneInOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        name = name_of(stage)
        if states_of(stage):
            raise ScheduleError(
                f'cannot clone "{name}": it is a scan, whose steps read it; clone a step, or '
                "copy the scan by cache_read",
                op,
            )
        readers = [self.stage(reader, op) for reader in op.readers]
        reads = [read for one in readers for read in reads_by(one, stage.tensors, name, op)]
        clone = over_axes_of(
            stage,
            schedule.derived_name(name, "clone", self.stages.names),
            stage.definition.clone().detach_parts(),
            [tensor.type for tensor in stage.tensors],
        )
        assert isinstance(op.clone_, OpResult)
        name_tensors(clone, stage.tensors, "clone")
        insert_producer(self, op.clone_, clone, readers[0])
        self.stages.stand_as_in(stage, clone)
        of_clone = dict(zip(stage.tensors, clone.tensors, strict=True))
        for read in reads:
            read.operands[0] = of_clone[read.operands[0]]
