"""Elements that all iterations of a loop change, one after the other, and nothing else touches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr
from xdsl.traits import Pure

from teloom.analysis.accesses.dependence import Dependences
from teloom.analysis.accesses.domains import is_fixed
from teloom.analysis.accesses.references import Direction, reference_of
from teloom.analysis.index.extents import constant_extent, lower_bounds
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.memory.storage import byte_width
from teloom.analysis.unrolled_size import becomes_copies
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_of, preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.target import Target
from teloom.dialects.upstream.accesses import accesses_to

Accessing = loop.LoadOp | loop.StoreOp | loop.ReduceOp


@dataclass(frozen=True)
class KeptElements:
    """The elements of `tensor` at `subscripts`: one for each iteration of the loops `data`.

    Each iteration of `around` loads all of them and then stores them, by `accesses`; no other
    access in `around` touches one. `data` are outermost first, and each has a constant extent.
    A reduction may be in a branch by itself, `guard`, whose test the ops `tested` compute in
    `around`: only elements are there for which it holds, in all iterations the same.
    """

    around: loop.ForOp
    data: tuple[loop.ForOp, ...]
    tensor: SSAValue
    subscripts: Sequence[Polynomial]
    accesses: tuple[Accessing, ...]
    guard: scf.IfOp | None = None
    tested: tuple[Operation, ...] = ()


def kept_elements(op: loop.StoreOp | loop.ReduceOp, target: Target) -> KeptElements | None:
    """The elements that an op changes in each iteration of a loop: of the outermost such loop.

    None if there is none, if registers do not hold the elements, or if LLVM keeps them there by
    itself: what a reduction folds into, where it sees how far apart the elements are.
    """
    accesses = (op,) if isinstance(op, loop.ReduceOp) else _alike(op)
    if accesses is None or len(accesses[0].accesses()) != 1:
        return None
    tensor, subscripts = accesses[0].accesses()[0].buffer, _subscripts(op)
    guard = _guard_of(op) if isinstance(op, loop.ReduceOp) else None
    found = [
        KeptElements(around, data, tensor, subscripts, accesses, guard, tested)
        for around, data in _loops(op, guard or op, subscripts, target)
        if (tested := _tested(guard, around, data)) is not None
    ]
    if isinstance(op, loop.ReduceOp):
        found = [one for one in found if guard or _has_rows_anywhere(one)]
    return next(filter(_are_alone, reversed(found)), None)


def _subscripts(op: Accessing) -> list[Polynomial]:
    return AffineIndexForms().of_exprs(op.subscripts, op.operands_)


def _guard_of(op: loop.ReduceOp) -> scf.IfOp | None:
    """The branch in which a reduction is all that is done."""
    branch = op.parent_op()
    if not isinstance(branch, scf.IfOp) or branch.results or branch.false_region.blocks:
        return None
    return branch if op.prev_op is None and op.next_op is branch.true_region.block.last_op else None


def _tested(
    guard: scf.IfOp | None, around: loop.ForOp, data: Sequence[loop.ForOp]
) -> tuple[Operation, ...] | None:
    """The ops in a loop that compute the test of a branch, in their order.

    None if they read memory, or if the test may be another one in each iteration.
    """
    found: dict[Operation, None] = {}
    waiting = [] if guard is None else [guard.cond]
    while waiting:
        value = waiting.pop()
        op = value.owner
        if isinstance(op, Block):
            if op.parent_op() not in data and around.is_ancestor(op):
                return None
        elif around.is_ancestor(op):
            if op.regions or not op.has_trait(Pure):
                return None
            found[op] = None
            waiting += op.operands
    return tuple(op for op in preorder(around.body) if op in found) if found else ()


def _has_rows_anywhere(found: KeptElements) -> bool:
    """Whether a loop over the elements runs along an axis whose stride only the call knows."""
    owner, counters = found.tensor.owner, {op.induction_variable for op in found.data}
    if not isinstance(owner, loop.TensorRegionOp):
        return False
    if isinstance(owner, loop.BindOp) and owner.strides is not None:
        is_known = [isinstance(one, AffineConstantExpr) for one in owner.strides.data.results]
    else:
        extents = owner.stored_extents
        is_known = [
            all(isinstance(extent, AffineConstantExpr) for extent in extents[axis + 1 :])
            for axis in range(len(extents))
        ]
    return any(
        not known and counters.intersection(form.atoms())
        for form, known in zip(found.subscripts, is_known, strict=True)
    )


def _alike(store: loop.StoreOp) -> tuple[loop.LoadOp | loop.StoreOp, ...] | None:
    """The loads and stores of the same element beside a store, and itself, in their order.

    None unless a load is the first of them.
    """
    assert store.parent is not None
    users = (use.operation for use in store.tensor.uses)
    if not any(isinstance(op, loop.LoadOp) and op.parent is store.parent for op in users):
        return None
    subscripts = _subscripts(store)
    accesses = ops_of(store.parent, loop.LoadOp, loop.StoreOp)
    beside = (op for op in accesses if op.tensor is store.tensor)
    found = tuple(op for op in beside if _subscripts(op) == subscripts)
    return found if isinstance(found[0], loop.LoadOp) else None


def _loops(
    op: loop.StoreOp | loop.ReduceOp,
    place: Operation,
    subscripts: Sequence[Polynomial],
    target: Target,
) -> Iterator[tuple[loop.ForOp, tuple[loop.ForOp, ...]]]:
    """Loops around the place of an op, innermost first, each with those in it over the elements.

    What is inside of such a loop runs in each of its iterations. The elements take no more than
    the vector registers hold: all stay there from one iteration to the next.
    """
    value = op.value if isinstance(op, loop.StoreOp) else op.values[0]
    width, room = byte_width(value.type), target.vector_registers * target.vector_bytes
    data: tuple[loop.ForOp, ...] = ()
    extents: list[int] = []
    around = place.parent_op()
    while isinstance(around, loop.ForOp):
        extent, counter = constant_extent(around), around.induction_variable
        if any(counter in form.atoms() for form in subscripts):
            if not extent or not becomes_copies(around, width, target.vector_bytes):
                return
            data, extents = (around, *data), [*extents, extent]
            if not _is_one_axis(counter, subscripts) or prod(extents) * width > room:
                return
        elif not around.kind.data.one_after_another:
            return
        elif around.kind.data is LoopKind.SERIAL and extent not in (0, 1):
            yield around, data
        if not extent:
            return
        around = around.parent_op()


def _is_one_axis(counter: SSAValue, subscripts: Sequence[Polynomial]) -> bool:
    """Whether a loop runs along one axis, by a constant stride."""
    along = [form for form in subscripts if form.uses(counter)]
    return len(along) == 1 and along[0].factor_of(counter) is not None


def _are_alone(found: KeptElements) -> bool:
    """Whether the elements are the same in all iterations, and no other access touches one."""
    block = found.around.parent
    assert block is not None
    counters = {op.induction_variable for op in found.data}
    starts = [start for op in found.data for start in lower_bounds(op)]
    outside = {atom for form in (*found.subscripts, *starts) for atom in form.atoms()} - counters
    if len(starts) > len(found.data) or not all(is_fixed(atom, block) for atom in outside):
        return False
    if any(len(counters.intersection(form.atoms())) > 1 for form in found.subscripts):
        return False  # iterations have elements in common
    if isinstance(found.tensor.owner, loop.RealizeOp) and not outside:
        return False  # of registers already: their indices are constants after unrolling
    ours = reference_of(found.accesses[-1].accesses()[0], block)
    others = [one for one in accesses_to(found.tensor) if one.op not in found.accesses]
    if not _is_apart(found.tensor) or not all(one.is_known for one in others):
        return False
    inside = (one for one in others if one.is_needed and found.around.is_ancestor(one.op))
    questions = ((ours, reference_of(one, block), [Direction(())]) for one in inside)
    return Dependences(block).conflict(questions) is None


def _is_apart(tensor: SSAValue) -> bool:
    """Whether each element has memory of its own, which no other value stands for."""
    owner = tensor.owner
    if isinstance(owner, loop.BindOp):
        return owner.buffer.has_one_use()
    return isinstance(owner, loop.RealizeOp) and not owner.storage.folds
