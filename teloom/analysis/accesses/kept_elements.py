"""Elements that all iterations of a loop change, one after the other, and nothing else touches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from teloom.analysis.accesses.dependence import Dependences
from teloom.analysis.accesses.domains import is_fixed
from teloom.analysis.accesses.references import Direction, reference_of
from teloom.analysis.index.extents import constant_extent, lower_bounds
from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.memory.storage import byte_width
from teloom.analysis.unrolled_size import becomes_copies
from teloom.dialects import loop
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_of
from teloom.dialects.loop import LoopKind
from teloom.dialects.target import Target
from teloom.dialects.upstream.accesses import accesses_to


@dataclass(frozen=True)
class KeptElements:
    """The elements of `tensor` at `subscripts`: one for each iteration of the loops `data`.

    Each iteration of `around` loads all of them and then stores them, by `accesses`; no other
    access in `around` touches one. `data` are outermost first, and each has a constant extent.
    """

    around: loop.ForOp
    data: tuple[loop.ForOp, ...]
    tensor: SSAValue
    subscripts: Sequence[Polynomial]
    accesses: tuple[loop.LoadOp | loop.StoreOp, ...]


def kept_elements(store: loop.StoreOp, target: Target) -> KeptElements | None:
    """The elements that a store changes in each iteration of a loop: of the outermost such loop.

    None if there is none, or if registers do not hold the elements.
    """
    if not _is_loaded_beside(store):
        return None
    subscripts = _subscripts(store)
    accesses = _alike(store, subscripts)
    if not isinstance(accesses[0], loop.LoadOp):
        return None
    found = [
        KeptElements(around, data, store.tensor, subscripts, accesses)
        for around, data in _loops(store, subscripts, target)
    ]
    return next(filter(_are_alone, reversed(found)), None)


def _subscripts(op: loop.LoadOp | loop.StoreOp) -> list[Polynomial]:
    return AffineIndexForms().of_exprs(op.subscripts, op.operands_)


def _is_loaded_beside(store: loop.StoreOp) -> bool:
    """Whether an element of the tensor is loaded in the block of a store to it."""
    users = (use.operation for use in store.tensor.uses)
    return any(isinstance(op, loop.LoadOp) and op.parent is store.parent for op in users)


def _alike(
    store: loop.StoreOp, subscripts: Sequence[Polynomial]
) -> tuple[loop.LoadOp | loop.StoreOp, ...]:
    """The loads and stores of the same element beside a store, and itself, in their order."""
    assert store.parent is not None
    accesses = ops_of(store.parent, loop.LoadOp, loop.StoreOp)
    beside = (op for op in accesses if op.tensor is store.tensor)
    return tuple(op for op in beside if _subscripts(op) == subscripts)


def _loops(
    store: loop.StoreOp, subscripts: Sequence[Polynomial], target: Target
) -> Iterator[tuple[loop.ForOp, tuple[loop.ForOp, ...]]]:
    """Loops around a store, innermost first, each with the loops in it over the elements.

    What is inside of such a loop runs in each of its iterations.
    """
    width, room = byte_width(store.value.type), target.vector_registers * target.vector_bytes
    data: tuple[loop.ForOp, ...] = ()
    extents: list[int] = []
    op = store.parent_op()
    while isinstance(op, loop.ForOp):
        extent, counter = constant_extent(op), op.induction_variable
        if any(counter in form.atoms() for form in subscripts):
            if not extent or not becomes_copies(op, width, target.vector_bytes):
                return
            data, extents = (op, *data), [*extents, extent]
            if not _is_one_axis(counter, subscripts) or prod(extents) * width > room:
                return
        elif not op.kind.data.one_after_another:
            return
        elif op.kind.data is LoopKind.SERIAL and extent not in (0, 1):
            yield op, data
        if not extent:
            return
        op = op.parent_op()


def _is_one_axis(counter: SSAValue, subscripts: Sequence[Polynomial]) -> bool:
    """Whether a loop runs along one axis, by a constant stride."""
    uses = [form for form in subscripts for atom in form.atoms() if atom is counter]
    return len(uses) == 1 and (counter,) in uses[0].terms


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
    store = next(op for op in found.accesses if isinstance(op, loop.StoreOp))
    ours = reference_of(store.accesses()[0], block)
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
        return owner.strides is None and owner.buffer.has_one_use()
    return isinstance(owner, loop.RealizeOp) and not owner.storage.folds
