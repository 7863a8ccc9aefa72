"""Vectorized loops that end with a part of a vector, as tiles of whole vectors."""

from __future__ import annotations

from xdsl.ir import Block, Operation

from teloom.analysis.accesses.lane_counts import lane_count, shorter_vectors
from teloom.analysis.index.extents import constant_extent
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.loops.longer_loops import is_private
from teloom.analysis.memory.storage import byte_width
from teloom.analysis.unrolled_size import are_in_a_row
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.tails import Partition, Tail
from teloom.dialects.target import Target
from teloom.dialects.upstream.accesses import accesses_of
from teloom.passes.code.loop_bounds import set_bounds


def tiles_of_whole_vectors(body: Block, target: Target) -> list[loop.ForOp]:
    """Makes tiles of the loops that whole vectors suit better, and gives these loops.

    What is left behind the last whole vector would be a vector of half the lanes, one of a
    quarter, and so on. If these are several, one vector under a mask is less, and a tile of sums
    that ends with them does not fit the registers.
    """
    found: list[loop.ForOp] = []
    for op in ops_in(body, loop.ForOp):
        whole = _whole_extent(op, target) if _is_free(op) else None
        if whole is not None:
            (lower,), (upper,) = op.lower.data.results, op.upper.data.results
            set_bounds(op, [lower], [lower + whole, upper], op.operands_)
            loop.set_policies(op, Partition.AUTO, Tail.AUTO)
            found.append(op)
    return found


def end_as_before(op: loop.ForOp) -> None:
    """Makes a loop of such a tile again."""
    _, upper = op.upper.data.results
    set_bounds(op, op.lower.data.results, [upper], op.operands_)


def _is_free(op: loop.ForOp) -> bool:
    """Whether a loop is vectorized and the schedule leaves open how it ends.

    A tile that is rounded up, and is all of its axis, has no end to say something of.
    """
    has_one_end = len(op.lower.data.results) == len(op.upper.data.results) == 1
    may_be_longer = loop.tail_of(op) in (Tail.AUTO, Tail.ROUND_UP)
    is_open = may_be_longer and loop.partition_of(op) is Partition.AUTO
    return op.kind.data is LoopKind.VECTORIZED and has_one_end and is_open


def _whole_extent(op: loop.ForOp, target: Target) -> int | None:
    """The iterations of whole vectors that cover those of a loop, if the last one pays."""
    extent = constant_extent(op)
    lanes = lane_count(op, target.vector_bytes) if extent else 0
    if not extent or not lanes or shorter_vectors(extent, lanes) < 2:
        return None
    if not are_in_a_row(extent, lanes):
        return None
    accesses = ops_in(op.body.block, loop.AccessOp, loop.ReduceOp)
    is_worth_it = all(_may_be_masked(one, op, target) for one in accesses)
    return -(-extent // lanes) * lanes if is_worth_it else None


def _may_be_masked(access: Operation, op: loop.ForOp, target: Target) -> bool:
    """Whether a mask costs an access little, and leaves out what it would write."""
    if isinstance(access, loop.StoreOp) and access.streamed is not None:
        return False
    assert isinstance(access, loop.AccessOp | loop.ReduceOp)
    for one in accesses_of(access):
        type = one.buffer.type
        assert isinstance(type, loop.TensorType)
        is_left_out = one.writes and not is_private(one.buffer)
        has_masks = target.has_masked_stores if is_left_out else target.has_masks
        if not has_masks(byte_width(type.element_type)):
            return False
        if one.writes and not _has_elements_of_its_own(op, access):
            return False
    return True


def _has_elements_of_its_own(op: loop.ForOp, access: loop.AccessOp | loop.ReduceOp) -> bool:
    """Whether the element of an access follows from the counter of a loop."""
    forms = AffineIndexForms().of_exprs(access.subscripts, access.operands_)
    return any(form.uses(op.induction_variable) for form in forms)
