"""Whether the iterations of a loop may run as lanes of a vector.

A serial loop runs lane 0 to its end before lane 1 begins. A vector runs each access in all lanes
before the next access. So two accesses of different lanes may change their order. If they touch
the same element and one of them is a store, that changes the result: they must not conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

from xdsl.dialects import memref

from teloom.analysis.accesses.dependence import Dependences
from teloom.analysis.accesses.references import Direction, Reference, reference_of, that_meet
from teloom.analysis.index.strides import LaneStrides
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.upstream.accesses import accesses_of


def references_in(op: loop.ForOp) -> list[Reference]:
    """Every access of memory in the body of `op`, in program order."""
    assert op.parent is not None
    return [
        reference_of(access, op.parent)
        for inner in preorder(op.body)
        for access in accesses_of(inner)
        if access.is_needed
    ]


def have_conflict(op: loop.ForOp, references: Sequence[Reference], strides: LaneStrides) -> bool:
    """Whether running the iterations of `op` as lanes may change what they compute."""
    assert op.parent is not None
    dependences = Dependences(op.parent, strides.forms, strides.is_uniform)
    questions = (
        (first, second, [*_directions(op, first, second, strides.lanes - 1)])
        for first, second in that_meet(combinations_with_replacement(references, 2))
    )
    return dependences.conflict(questions) is not None


def may_run_again(op: loop.ForOp, references: Sequence[Reference], strides: LaneStrides) -> bool:
    """Whether iterations of `op` may run twice: they store neighbours, each once, and read none."""
    if any(isinstance(inner, loop.ForOp) for inner in preorder(op.body)):
        return False
    for first, second in that_meet(combinations_with_replacement(references, 2)):
        store = first.access.op
        if first is not second or not isinstance(store, memref.StoreOp):
            return False
        if "nontemporal" in store.properties or strides.of(store.indices[0]) != 1:
            return False
    return True


def _directions(
    op: loop.ForOp, first: Reference, second: Reference, most: int
) -> Iterator[Direction]:
    """The directions of instances that change their order, in lanes at most `most` apart."""
    repeats = any(inner is not op for one in (first, second) for inner in one.loops)
    if first is not second or repeats:  # a single store writes its lanes in order
        # Its distance is negative: the loop runs `second` first, the vector runs `first` first.
        yield Direction((), op, -most, -1)
    if repeats:
        # An inner loop runs `second` in all lanes before its next iteration runs `first`.
        yield Direction((), op, 1, most)
