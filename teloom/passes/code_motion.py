"""Where ops may stand: what only computes a value, and the end of a block."""

from collections.abc import Hashable

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator, Pure


def only_computes(op: Operation) -> bool:
    """Whether `op` gives one value and does nothing else."""
    return op.has_trait(Pure) and not op.regions and len(op.results) == 1


def computation(value: SSAValue) -> Hashable:
    """How `value` is computed; two values that are computed alike are equal."""
    op = value.owner
    if isinstance(op, Block) or not only_computes(op):
        return value
    said = frozenset((op.properties | op.attributes).items())
    return op.name, said, tuple(computation(operand) for operand in op.operands)


def _is_there(value: SSAValue, op: Operation) -> bool:
    """Whether `value`, which the block of `op` or an op in it sees, is computed before `op`."""
    if op.is_ancestor(value.owner):
        return False
    assert op.parent is not None
    if isinstance(value.owner, Block):
        around = value.owner.parent_op()
        return around is None or around.is_ancestor(op)
    place = op.parent.find_ancestor_op_in_block(value.owner)
    return place is None or place.is_before_in_block(op)


def can_compute_before(value: SSAValue, op: Operation) -> bool:
    """Whether `value` can be computed in front of `op`."""
    if _is_there(value, op):
        return True
    owner = value.owner
    if isinstance(owner, Block) or not only_computes(owner):
        return False
    return all(can_compute_before(operand, op) for operand in owner.operands)


def compute_before(value: SSAValue, op: Operation) -> None:
    """Moves what computes `value` in front of `op`."""
    owner = value.owner
    if isinstance(owner, Block) or _is_there(value, op):
        return
    for operand in owner.operands:
        compute_before(operand, op)
    owner.detach()
    Rewriter.insert_op(owner, InsertPoint.before(op))


def erase_unused(value: SSAValue) -> None:
    """Erases the op that computes `value`, if nothing uses it."""
    op = value.owner
    if not value.uses and isinstance(op, Operation) and only_computes(op):
        Rewriter.erase_op(op)


def end_of(block: Block) -> InsertPoint:
    """Behind all ops of `block` but its terminator, if it has one."""
    last = block.last_op
    if last is not None and last.has_trait(IsTerminator):
        return InsertPoint.before(last)
    return InsertPoint.at_end(block)
