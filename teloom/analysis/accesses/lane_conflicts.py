"""Whether the iterations of a loop may run as lanes: no two may meet in memory.

A loop runs lane 0 to its end before lane 1 begins; vectors run every access in all
lanes before the next access. Two accesses of one buffer, one of them a store, may
thus change places if they are of different lanes, and then must not meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from teloom.analysis.index.polynomials import Monomial, Polynomial, Quotient
from teloom.analysis.index.strides import LaneStrides
from teloom.dialects import loop


@dataclass(frozen=True)
class Access:
    """One load or store of the body, which runs once per lane, or often if `repeats`."""

    buffer: SSAValue
    index: Polynomial
    stride: int | None
    is_store: bool
    repeats: bool


def accesses(op: loop.ForOp, strides: LaneStrides) -> list[Access]:
    """Every access of memory in the body of `op`, in program order."""
    found: list[Access] = []
    for inner in op.body.block.walk():
        if isinstance(inner, memref.LoadOp | memref.StoreOp):
            (index,) = inner.indices
            found.append(
                Access(
                    inner.memref,
                    strides.forms.of(index),
                    strides.of(index),
                    isinstance(inner, memref.StoreOp),
                    _is_in_loop(inner, op),
                )
            )
    return found


def _is_in_loop(op: Operation, outermost: loop.ForOp) -> bool:
    parent = op.parent_op()
    while parent is not outermost and parent is not None:
        if isinstance(parent, loop.ForOp):
            return True
        parent = parent.parent_op()
    return False


def have_conflict(op: loop.ForOp, strides: LaneStrides) -> bool:
    """Whether running the iterations of `op` as lanes may change what they compute."""
    found = accesses(op, strides)
    inside = {arg for inner in op.body.block.walk() for arg in _defined(inner)}
    return any(
        first.buffer is second.buffer
        and (first.is_store or second.is_store)
        and _may_meet(first, second, strides.lanes, inside)
        for position, first in enumerate(found)
        for second in found[position:]
    )


def _defined(op: Operation) -> Sequence[SSAValue]:
    return [*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)]


def _may_meet(first: Access, second: Access, lanes: int, inside: set[SSAValue]) -> bool:
    repeats = first.repeats or second.repeats
    if first is second and not repeats:
        return False  # one store: its lanes write in order, wherever they write
    if first.stride is None or first.stride != second.stride:
        return True
    period = 0
    distance = Polynomial({})
    for monomial in first.index.terms.keys() | second.index.terms.keys():
        before = first.index.terms.get(monomial, 0)
        after = second.index.terms.get(monomial, 0)
        if _changes(monomial, inside):
            # In another round of an inner loop it is another integer.
            period = gcd(period, before, after)
        elif before != after:
            distance = distance + Polynomial({monomial: after - before})
    gap = distance.as_constant()
    if gap is None:
        return True
    # Lane i of the first meets lane i - d of the second where stride * d = gap; lanes
    # behind it (d > 0) ran before it in the loop, and run after it as vectors.
    start = 1 - lanes if repeats else 1
    return any(not _reduced(first.stride * d - gap, period) for d in range(start, lanes) if d)


def _reduced(value: int, period: int) -> int:
    return value % period if period else value


def _changes(monomial: Monomial, inside: set[SSAValue]) -> bool:
    return any(
        any(inner in inside for inner in atom.dividend.atoms())
        if isinstance(atom, Quotient)
        else atom in inside
        for atom in monomial
    )
