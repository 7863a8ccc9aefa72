"""Whether the iterations of a loop may run as lanes: no two may meet in memory.

A loop runs lane 0 to its end before lane 1 begins; vectors run every access in all
lanes before the next access. Two accesses of one buffer, one of them a store, may
thus change places if they are of different lanes, and then must not meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

from teloom.analysis.accesses.dependence import Dependences
from teloom.analysis.accesses.references import Reference, Way, reference_of
from teloom.analysis.index.strides import LaneStrides
from teloom.dialects import loop
from teloom.dialects.upstream.accesses import accesses_of


def references_in(op: loop.ForOp) -> list[Reference]:
    """Every access of memory in the body of `op`, in program order."""
    assert op.parent is not None
    return [
        reference_of(access, op.parent)
        for inner in op.body.walk()
        for access in accesses_of(inner)
        if access.is_needed
    ]


def have_conflict(op: loop.ForOp, references: Sequence[Reference], strides: LaneStrides) -> bool:
    """Whether running the iterations of `op` as lanes may change what they compute."""
    assert op.parent is not None
    dependences = Dependences(op.parent, strides.forms, strides.is_uniform)
    pairs = combinations_with_replacement(references, 2)
    questions = (
        (first, second, [*_ways(op, first, second, strides.lanes - 1)])
        for first, second in pairs
        if first.access.buffer is second.access.buffer
        and (first.access.writes or second.access.writes)
    )
    return dependences.meeting(questions) is not None


def _ways(op: loop.ForOp, first: Reference, second: Reference, most: int) -> Iterator[Way]:
    """How instances may lie that change places, in lanes that are `most` apart, or less."""
    repeats = any(inner is not op for one in (first, second) for inner in one.loops)
    if first is not second or repeats:  # one store writes its lanes in order
        # Lanes of the second behind that of the first run after it as vectors.
        yield Way((), op, -most, -1)
    if repeats:
        yield Way((), op, 1, most)
