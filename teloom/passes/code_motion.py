"""Where ops may stand: what only computes a value, and the end of a block."""

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator, Pure


def only_computes(op: Operation) -> bool:
    """Whether `op` gives one value and does nothing else."""
    return op.has_trait(Pure) and not op.regions and len(op.results) == 1


def is_known_outside(value: SSAValue, op: Operation) -> bool:
    """Whether `value` can be computed in front of `op`."""
    owner = value.owner
    if not op.is_ancestor(owner):
        return True
    if isinstance(owner, Block) or not only_computes(owner):
        return False
    return all(is_known_outside(operand, op) for operand in owner.operands)


def compute_outside(value: SSAValue, op: Operation) -> None:
    """Moves what computes `value` in front of `op`."""
    owner = value.owner
    if isinstance(owner, Block) or not op.is_ancestor(owner):
        return
    for operand in owner.operands:
        compute_outside(operand, op)
    owner.detach()
    Rewriter.insert_op(owner, InsertPoint.before(op))


def end_of(block: Block) -> InsertPoint:
    """Behind all ops of `block` but its terminator, if it has one."""
    last = block.last_op
    if last is not None and last.has_trait(IsTerminator):
        return InsertPoint.before(last)
    return InsertPoint.at_end(block)
