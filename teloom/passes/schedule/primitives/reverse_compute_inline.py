"""`schedule.reverse_compute_inline`: a stage is merged into its only producer."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.stages.queries import name_of
from teloom.dialects import schedule
from teloom.passes.schedule.primitives.handles import Primitive
from teloom.passes.schedule.producer_loops import axes_like, composed, producer_read


class ApplyReverseComputeInline(Primitive):
    """Gives the stage the loops and the place of its producer, and takes that out.

    `inline_all` then puts the producer's equation in place of the read, as for all stages that
    are taken out. What is computed in the producer's loops moves with them.
    """

    commands = (schedule.ReverseComputeInlineOp,)
    is_about_loops = True

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: schedule.ReverseComputeInlineOp, rewriter: PatternRewriter):
        stage = self.stage(op.stage, op)
        found = producer_read(stage, self.func, op)
        producer = found.producer
        self.stages.merge(name_of(producer), stage, producer.root_axes)
        first, subscripts, relations = composed(found)
        axes = axes_like(first, subscripts, stage)
        for old, new in zip(first, axes, strict=True):
            old.replace_all_uses_with(new)
        gone = producer.relations[: len(producer.relations) - len(relations)]
        for relation in gone:  # its results are made of the axes of the stage
            relation.detach()
            relation.drop_all_references()
            for root in producer.root_axes:
                root.replace_all_uses_with(stage.root_axes[0])
        self._move_loops(producer, stage)
        self.stages.inlined.append(producer)

    def _move_loops(self, producer: schedule.StageOp, stage: schedule.StageOp) -> None:
        Rewriter.erase_op(stage.order)
        for op in [*producer.body.block.ops]:
            if op is not producer.definition:
                op.detach()
                Rewriter.insert_op(op, InsertPoint.before(stage.definition))
        stage.detach()
        stage.set_at(producer.at)
        Rewriter.insert_op(stage, InsertPoint.before(producer))
        producer.detach()
        producer.set_at(None)
