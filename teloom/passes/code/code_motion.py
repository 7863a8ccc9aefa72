"""Where ops may stand: what only computes a value, the end of a block, and branches."""

from collections.abc import Hashable, Sequence
from functools import partial

from xdsl.dialects import arith, llvm, scf, vector
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator, Pure

from teloom.dialects.bodies.postorder import operands_of, postorder
from teloom.dialects.upstream.arith import zero_of

DIVISIONS = (
    arith.DivSIOp,
    arith.DivUIOp,
    arith.RemSIOp,
    arith.RemUIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
)
"""Divisions of integers, which are right for all numbers: what is divided by 0 is 0."""

_PURE = (arith.ExtSIOp, vector.ShuffleOp, llvm.AddOp, llvm.MulOp, *DIVISIONS)
"""What xDSL does not declare to be pure: of divisions, because MLIR's by 0 are undefined."""


def only_computes(op: Operation) -> bool:
    """Whether `op` gives one value and does nothing else."""
    is_pure = op.has_trait(Pure) or isinstance(op, _PURE)
    return is_pure and not op.regions and len(op.results) == 1


def computation(value: SSAValue) -> Hashable:
    """How `value` is computed; two values that are computed alike are equal."""
    steps: dict[Hashable, int] = {}
    step_of: dict[SSAValue, int] = {}
    for one in postorder([value], _computed_from):
        op = one.owner
        step: Hashable = one
        if isinstance(op, Operation) and only_computes(op):
            said = frozenset((op.properties | op.attributes).items())
            step = op.name, said, tuple(step_of[operand] for operand in op.operands)
        step_of[one] = steps.setdefault(step, len(steps))
    return tuple(steps)


def _computed_from(value: SSAValue) -> Sequence[SSAValue]:
    op = value.owner
    return op.operands if isinstance(op, Operation) and only_computes(op) else ()


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
    return all(
        _is_there(one, op) or (isinstance(one.owner, Operation) and only_computes(one.owner))
        for one in postorder([value], partial(_to_compute, op=op))
    )


def compute_before(value: SSAValue, op: Operation) -> None:
    """Moves what computes `value` in front of `op`."""
    for one in list(postorder([value], partial(_to_compute, op=op))):
        if isinstance(one.owner, Operation) and not _is_there(one, op):
            one.owner.detach()
            Rewriter.insert_op(one.owner, InsertPoint.before(op))


def _to_compute(value: SSAValue, op: Operation) -> Sequence[SSAValue]:
    """The values that have to be computed in front of `op` before `value` can be."""
    return () if _is_there(value, op) else operands_of(value)


def erase_unused(value: SSAValue) -> None:
    """Erases what computes `value`, if nothing uses it, and what is then unused in turn."""
    pending = [value]
    while pending:
        op = pending.pop().owner
        if isinstance(op, Block) or op.parent is None:
            continue
        if only_computes(op) and not op.results[0].uses:
            pending += op.operands
            Rewriter.erase_op(op)


def end_of(block: Block) -> InsertPoint:
    """Behind all ops of `block` but its terminator, if it has one."""
    last = block.last_op
    if last is not None and last.has_trait(IsTerminator):
        return InsertPoint.before(last)
    return InsertPoint.at_end(block)


def become(op: Operation, block: Block) -> None:
    """Replaces `op` by the ops of one of its blocks, without the terminator."""
    last = block.last_op
    if isinstance(last, scf.YieldOp):
        for result, value in zip(op.results, last.operands, strict=True):
            result.replace_all_uses_with(value)
        Rewriter.erase_op(last)
    Rewriter.inline_block(block, InsertPoint.before(op))
    Rewriter.erase_op(op)


def only_where(access: Operation, holds: SSAValue) -> None:
    """Puts an access into a branch; what it reads is zero elsewhere."""
    types = [result.type for result in access.results]
    then, otherwise = Block(), Region()
    if types:
        zeros = [arith.ConstantOp(zero_of(type)) for type in types]
        otherwise = Region(Block([*zeros, scf.YieldOp(*zeros)]))
    branch = scf.IfOp(holds, types, Region(then), otherwise)
    branch.location = access.location
    Rewriter.insert_op(branch, InsertPoint.before(access))
    for old, new in zip(access.results, branch.results, strict=True):
        old.replace_all_uses_with(new)
    access.detach()
    then.add_ops([access, scf.YieldOp(*access.results)])
