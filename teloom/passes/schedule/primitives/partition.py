"""`schedule.partition`, `schedule.never_partition`, `schedule.always_partition`."""

from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.dialects import schedule
from teloom.dialects.syntax.tails import Partition
from teloom.passes.schedule.primitives.handles import Primitive

_POLICIES = {
    schedule.NeverPartitionOp: Partition.NEVER,
    schedule.AlwaysPartitionOp: Partition.ALWAYS,
}


class ApplyPartition(Primitive):
    """Writes the policy of each axis into its stage, in the place of an earlier one."""

    commands = (schedule.PartitionOp, schedule.NeverPartitionOp, schedule.AlwaysPartitionOp)

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: schedule.PartitionOp | schedule.PartitionCommand, rewriter: PatternRewriter
    ):
        is_one = isinstance(op, schedule.PartitionOp)
        policy = op.policy.data if is_one else _POLICIES[type(op)].value
        for axis in op.operands:
            stage = self.leaf_stage(axis, op)
            for earlier in [*stage.body.block.ops]:
                if isinstance(earlier, schedule.PartitionedOp) and earlier.axis is axis:
                    Rewriter.erase_op(earlier)
            new = schedule.PartitionedOp(axis, policy)
            new.location = op.location
            Rewriter.insert_op(new, InsertPoint.before(stage.order))
