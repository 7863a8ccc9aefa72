"""A piece of memory that a function allocates at entry, and the buffers in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    i8,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from teloom.analysis.index.forms import value_form
from teloom.analysis.index.limits import MANY
from teloom.analysis.memory.storage import boundary_of, byte_width
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.target import target_of
from teloom.dialects.upstream.llvm import ALIAS_SCOPES, NOALIAS_SCOPES, AliasScopeAttr
from teloom.passes.code.entry_code import EntryCode
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.thread_numbers import thread_number
from teloom.passes.memory.largest_sizes import Sizes, size_in_bytes

Chain = tuple[memref.AllocOp, ...]
"""Buffers that are live at one time, in the order in which they are allocated."""


class Reserved(NamedTuple):
    """The memory of a piece; of one with a copy for each thread, these are `stride` bytes apart."""

    memory: SSAValue
    stride: SSAValue | None


@dataclass(frozen=True)
class ReservedPiece:
    """One piece of memory. A buffer lies behind its predecessors in its chains.

    Chains are the paths of one tree: a buffer has the same predecessors in each of its chains,
    and so one start. There is one copy, or as many as there are `threads`.
    """

    buffers: Chain
    chains: tuple[Chain, ...]
    code: EntryCode
    threads: SSAValue | None = None

    def take(self, cases: Sequence[Sizes]) -> Reserved:
        """Allocates the memory: the largest size of all cases, 0 for a case that does not hold."""
        first, code = self.buffers[0], self.code
        bytes, stride = code.largest([self._needed(case) for case in cases]), None
        boundary = max(map(boundary_of, self.buffers))
        if self.threads is not None:
            boundary = max(boundary, target_of(first).alignment)
            stride = code.of(_aligned(value_form(bytes), boundary))
            bytes = code.count([value_form(stride), Polynomial.of(self.threads)])
        type = MemRefType(i8, [DYNAMIC_INDEX])
        alloc = memref.AllocOp([bytes], [], type, IntegerAttr(boundary, i64))
        alloc.location = first.location
        memory = code.emit(alloc)
        memory.name_hint = "reserved"
        return Reserved(memory, stride)

    def _needed(self, case: Sizes) -> SSAValue:
        """The bytes of the buffers in a case.

        The sum saturates at `MANY` instead of wrapping: an allocation of that size fails.
        """
        code = self.code
        end: SSAValue | None = None
        for buffer in (buffer for buffer in case.bytes if buffer in self.buffers):
            bytes = case.bytes[buffer]
            if end is not None:
                start = code.of(_next(value_form(end), buffer))
                end = code.add(start, bytes)
                bytes = code.binary(arith.MinSIOp, end, code.constant(MANY))
            end = bytes
        assert end is not None
        if case.holds is None:
            return end
        return code.emit(arith.SelectOp(case.holds, end, code.constant(0)))

    def put(self, reserved: Reserved, function: str) -> None:
        """Replaces the buffers by views of the memory."""
        sizes: dict[memref.AllocOp, Polynomial] = {}
        starts = dict.fromkeys(self.buffers, Polynomial.constant(0))
        for before, behind in (pair for chain in self.chains for pair in pairwise(chain)):
            if before not in sizes:
                sizes[before] = _bytes(before)
            starts[behind] = _next(starts[before] + sizes[before], behind)
        apart: defaultdict[memref.AllocOp, list[memref.AllocOp]] = defaultdict(list)
        for one, other in self._apart():
            if self._is_known(starts[one]) and self._is_known(sizes[one]):
                apart[one].append(other)
                apart[other].append(one)
        scopes = {
            buffer: AliasScopeAttr.of(f"reserved.{k}", function)
            for k, buffer in enumerate(self.buffers)
        }
        for buffer in self.buffers:
            view = _replace_by_view(reserved, starts[buffer], buffer)
            if buffer in apart:
                view.attributes[ALIAS_SCOPES] = ArrayAttr([scopes[buffer]])
                others = ArrayAttr([scopes[other] for other in apart[buffer]])
                view.attributes[NOALIAS_SCOPES] = others

    def _apart(self) -> Iterator[tuple[memref.AllocOp, memref.AllocOp]]:
        """Pairs of buffers whose second lies behind the first in every iteration."""
        pairs = (pair for chain in self.chains for pair in combinations(chain, 2))
        return iter(dict.fromkeys(pairs))

    def _is_known(self, form: Polynomial) -> bool:
        """Whether a form is loop-invariant.

        Alias scopes speak of all iterations at once. If the end of a buffer varied, the next one
        could begin, in another iteration, at bytes that this one had: they would alias.
        """
        return all(map(self.code.is_known, form.values()))


def _next(end: Polynomial, buffer: memref.AllocOp) -> Polynomial:
    """The first byte from `end` on that is aligned for `buffer`."""
    return _aligned(end, boundary_of(buffer))


def _aligned(end: Polynomial, boundary: int) -> Polynomial:
    return end.ceildiv(boundary).times(boundary)


def _bytes(buffer: memref.AllocOp) -> Polynomial:
    if buffer.dynamic_sizes:
        return Polynomial.of(size_in_bytes(buffer, IndexCode.before(buffer)))
    (count,) = buffer.memref.type.get_shape()
    return Polynomial.constant(count * byte_width(buffer.memref.type.element_type))


def _replace_by_view(
    reserved: Reserved, start: Polynomial, buffer: memref.AllocOp
) -> memref.ViewOp:
    """Replaces `buffer` by a view of the memory from `start` on, and returns the view."""
    for use in tuple(buffer.memref.uses):
        if isinstance(use.operation, memref.DeallocOp):
            Rewriter.erase_op(use.operation)
    code, type = IndexCode.before(buffer), buffer.memref.type
    flat = MemRefType(type.element_type, type.get_shape())
    if reserved.stride is not None:
        start = start + Polynomial.of(code.multiply(thread_number(code), reserved.stride))
    view = memref.ViewOp(reserved.memory, code.of(start), buffer.dynamic_sizes, flat)
    code.emit(view)
    lying = view if flat == type else memref.MemorySpaceCastOp(view.result, type)
    lying.results[0].name_hint = buffer.memref.name_hint
    Rewriter.replace_op(buffer, [] if lying is view else lying, lying.results)
    return view
