"""Moves loop-invariant loads in front of a loop, if no store of the loop changes their elements.

LLVM does this when loads and stores go to different buffers. In one buffer it does not see, for
example, that the first element of a row is none of those behind it.
"""

from __future__ import annotations

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.accesses.dependence import Dependences
from teloom.analysis.accesses.lane_conflicts import references_in
from teloom.analysis.accesses.references import Direction, Reference, that_meet
from teloom.analysis.index.extents import extents
from teloom.dialects import loop
from teloom.dialects.upstream.arith import zero_of
from teloom.passes.code.code_motion import can_compute_before, compute_before
from teloom.passes.code.index_code import IndexCode


def load_in_front(op: loop.ForOp) -> None:
    """Moves the invariant loads of a loop in front of it.

    Only loads from buffers that the loop stores to: LLVM moves the others. If the loop may have no
    iteration, the loads stand in a branch.
    """
    references = references_in(op)
    stores = [one for one in references if one.access.writes]
    assert op.parent is not None
    dependences = Dependences(op.parent)
    runs: SSAValue | None = None
    for one in references:
        if _is_same_everywhere(one, op) and _is_kept(one, stores, op, dependences):
            runs = _has_iterations(op) if runs is None else runs
            _move(one.access.op, op, runs)


def _is_same_everywhere(one: Reference, op: loop.ForOp) -> bool:
    """Whether a load has the same element in all iterations of a loop."""
    load = one.access.op
    is_own = isinstance(load, memref.LoadOp) and load.parent is op.body.block
    return is_own and all(can_compute_before(index, op) for index in load.indices)


def _is_kept(
    one: Reference, stores: list[Reference], op: loop.ForOp, dependences: Dependences
) -> bool:
    """Whether a loop stores to the memory of a load, but never to its element."""
    met = [*that_meet((one, store) for store in stores)]
    anywhere = [Direction((), op)]
    return bool(met) and dependences.conflict((*pair, anywhere) for pair in met) is None


def _has_iterations(op: loop.ForOp) -> SSAValue | None:
    """Computes in front of a loop whether it has an iteration; None if it always has one."""
    known = ((extent, extent.as_constant()) for extent in extents(op))
    open_ends = [extent for extent, number in known if number is None or number < 1]
    if not open_ends:
        return None
    code = IndexCode.before(op)
    zero = code.constant(0)
    tests = [code.emit(arith.CmpiOp(code.of(extent), zero, "sgt")) for extent in open_ends]
    return code.joined(arith.AndIOp, tests)


def _move(load: memref.LoadOp, op: loop.ForOp, runs: SSAValue | None) -> None:
    for index in load.indices:
        compute_before(index, op)
    load.detach()
    if runs is None:
        Rewriter.insert_op(load, InsertPoint.before(op))
        return
    zero = arith.ConstantOp(zero_of(load.res.type))
    then, otherwise = Block(), Block([zero, scf.YieldOp(zero)])
    branch = scf.IfOp(runs, [load.res.type], Region(then), Region(otherwise))
    branch.location = load.location
    load.res.replace_all_uses_with(branch.results[0])
    then.add_ops([load, scf.YieldOp(load.res)])
    Rewriter.insert_op(branch, InsertPoint.before(op))
