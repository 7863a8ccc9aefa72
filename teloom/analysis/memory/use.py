"""The memory that a function uses: its allocations, the buffers in them, and their live ranges.

It is read from the IR alone, from allocations, views and uses. So it also checks the planner.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith, func, memref
from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from teloom.analysis.index.limits import LARGEST_SIZE
from teloom.analysis.index.values import index_value
from teloom.analysis.memory.moments import moments_in
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop, shadow
from teloom.dialects.affine.operands import text
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.interfaces import Access
from teloom.dialects.upstream.accesses import accesses_to
from teloom.errors import Error, check_names

_OPERATIONS: dict[type[Operation], str] = {
    arith.AddiOp: "({} + {})",
    arith.SubiOp: "({} - {})",
    arith.MuliOp: "{} * {}",
    arith.MaxSIOp: "max({}, {})",
    arith.MinSIOp: "min({}, {})",
    arith.RemSIOp: "({} rem {})",
}

SHOWN_DEPTH = 8
"""How deeply nested the arithmetic is that the text of a size shows."""


@dataclass(frozen=True)
class BufferUse:
    """A buffer in an allocation, at byte `offset` of it, if that is known.

    Its live range is from op `first` to op `last`, numbered in program order. A loop uses a
    buffer from outside throughout, from its first op to its last.
    """

    name: str
    bytes: int | None
    size: str
    offset: int | None
    first: int
    last: int


@dataclass(frozen=True)
class AllocationUse:
    """One allocation, live from op `first` to op `last`; `bytes` is None if unknown."""

    name: str
    scope: str
    place: str
    bytes: int | None
    size: str
    first: int
    last: int
    buffers: tuple[BufferUse, ...]


@dataclass(frozen=True)
class MemoryUse:
    """The memory of a function with this number of ops."""

    function: str
    ops: int
    allocations: tuple[AllocationUse, ...]

    def kinds(self) -> list[tuple[str, str]]:
        """The pairs of scope and place (heap or stack, or that of each thread) in use."""
        return sorted({(one.scope, one.place) for one in self.allocations})

    def of(self, kind: tuple[str, str] | None) -> list[AllocationUse]:
        """The allocations of one kind, or all."""
        return [one for one in self.allocations if kind in (None, (one.scope, one.place))]

    def peak(self, kind: tuple[str, str] | None = None) -> int | None:
        """The most bytes that are allocated at one time, of one kind or of all.

        None if the size of one of the allocations is unknown.
        """
        found = [(one, one.bytes) for one in self.of(kind) if one.bytes is not None]
        if len(found) < len(self.of(kind)):
            return None
        moments = {one.first for one, _ in found}
        return max(
            (sum(b for one, b in found if one.first <= at <= one.last) for at in moments), default=0
        )

    def total(self, kind: tuple[str, str] | None = None) -> str:
        """The sum of all allocations in bytes, as an expression of sizes."""
        sizes = Counter(one.size for one in self.of(kind))
        return " + ".join(
            size if count == 1 else f"{count} * {size}" for size, count in sizes.items()
        )


def _place(op: Operation) -> str:
    """Where an allocation is; one in a parallel loop is there once for each thread."""
    place = "heap" if isinstance(op, memref.AllocOp) else "stack"
    return f"{place} of each thread" if loop.is_in_parallel(op) else place


def size_names(function: func.FuncOp) -> list[str]:
    """The names by which `memory_use` knows the sizes of a function."""
    sizes = (argument for argument in function.body.block.args if argument.type == IndexType())
    return [size.name_hint for size in sizes if size.name_hint is not None]


Sizes = Mapping[str, int] | Mapping[int, int]
"""Values of sizes, by their names or by their positions among the arguments."""


def memory_use(function: func.FuncOp, sizes: Sizes) -> MemoryUse:
    """The memory of a function for these values of sizes; sizes without a value are unknown.

    Raises `teloom.Error` for a size that the function does not have, and for a value outside
    of the range of sizes.
    """
    return _Reader(function, _values(function, sizes)).read()


def check_size(size: object, value: int) -> None:
    """Raises `teloom.Error` if the value is outside of the range of sizes."""
    if not 0 <= value <= LARGEST_SIZE:
        raise Error(f"size {size} is {value}; sizes go from 0 to {LARGEST_SIZE}")


def _values(function: func.FuncOp, sizes: Sizes) -> dict[SSAValue, int]:
    """The values of sizes, by the arguments that have them."""
    arguments: dict[str | int, list[SSAValue]] = defaultdict(list)
    for position, argument in enumerate(function.body.block.args):
        if isinstance(argument.type, IndexType):
            arguments[position].append(argument)
            arguments[argument.name_hint or ""].append(argument)
    check_names("size", [key for key in sizes if isinstance(key, str)], size_names(function))
    for key, value in sizes.items():
        check_size(key, value)
    return {argument: value for key, value in sizes.items() for argument in arguments[key]}


class _Reader:
    def __init__(self, function: func.FuncOp, numbers: dict[SSAValue, int]):
        self.function = function
        self.spans = moments_in(function)
        self.numbers = numbers

    def read(self) -> MemoryUse:
        allocations = [
            self._allocation(op)
            for op in preorder(self.function)
            if isinstance(op, memref.AllocOp | memref.AllocaOp)
        ]
        ops = self.spans[self.function].last
        return MemoryUse(self.function.sym_name.data, ops, tuple(allocations))

    def _allocation(self, op: memref.AllocOp | memref.AllocaOp) -> AllocationUse:
        block = op.parent
        assert block is not None
        assert block.last_op is not None
        frees = [
            self.spans[use.operation][1]
            for use in op.memref.uses
            if isinstance(use.operation, memref.DeallocOp)
        ]
        space = op.memref.type.memory_space
        scope = "global" if isinstance(space, NoneAttr) else _space_text(space)
        size, bytes = self._bytes(op.memref, op.dynamic_sizes)
        return AllocationUse(
            _name(op.memref),
            scope,
            _place(op),
            bytes,
            size,
            self.spans[op][0],
            max(frees, default=self.spans[block.last_op][1]),
            tuple(self._buffers(op.memref, op.dynamic_sizes, 0)),
        )

    def _buffers(self, buffer: SSAValue, sizes, offset: int | None) -> Iterator[BufferUse]:
        """The buffers in the views of a buffer and in itself, one per region that accesses name."""
        block = buffer.owner.parent if isinstance(buffer.owner, Operation) else buffer.owner
        assert isinstance(block, Block)
        spans: defaultdict[shadow.RegionOp | None, list[tuple[int, int]]] = defaultdict(list)
        for access in sorted(accesses_to(buffer), key=lambda access: self.spans[access.op]):
            op = access.op
            if isinstance(op, memref.ViewOp):
                shift = self._number(op.byte_shift)
                start = None if shift is None or offset is None else offset + shift
                yield from self._buffers(op.result, op.sizes, start)
            elif access.is_needed:
                region = _region_of(access)
                around = block if region is None else region.parent
                place = around.find_ancestor_op_in_block(op) if around else None
                spans[region].append(self.spans[place or op])
        size, bytes = self._bytes(buffer, sizes)
        for region, found in spans.items():
            name = _name(buffer) if region is None else region.region_name.data
            first, last = min(found)[0], max(span[1] for span in found)
            yield BufferUse(name, bytes, size, offset, first, last)

    def _bytes(self, buffer: SSAValue, sizes) -> tuple[str, int | None]:
        type = buffer.type
        assert isinstance(type, MemRefType)
        dynamic = iter(sizes)
        known = reduce(operator.mul, (e for e in type.get_shape() if e != DYNAMIC_INDEX), 1)
        known *= byte_width(type.element_type)
        counts = [next(dynamic) for extent in type.get_shape() if extent == DYNAMIC_INDEX]
        numbers = [self._number(count) for count in counts]
        product = " * ".join([*(self._text(count) for count in counts), str(known)])
        if any(number is None for number in numbers):
            return product, None
        return product, reduce(operator.mul, (n for n in numbers if n is not None), known)

    def _number(self, value: SSAValue) -> int | None:
        return index_value(value, self.numbers.get)

    def _text(self, value: SSAValue, depth: int = SHOWN_DEPTH) -> str:
        """The arithmetic of `value`; a value nested deeper than `depth` is shown by its name."""
        op = value.owner
        if isinstance(op, Block) or not depth:
            return _name(value)
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
            return str(op.value.value.data)
        if isinstance(op, ApplyOp):
            return f"({text(op.map.data.results[0], op.mapOperands)})"
        if isinstance(op, loop.ElementCountOp):
            return " * ".join(self._factor(e, op.operands_, depth - 1) for e in op.extents)
        if type(op) in _OPERATIONS:
            shown = (self._text(operand, depth - 1) for operand in op.operands)
            return _OPERATIONS[type(op)].format(*shown)
        return _name(value)

    def _factor(self, extent: AffineExpr, operands: Sequence[SSAValue], depth: int) -> str:
        if isinstance(extent, AffineDimExpr):
            return self._text(operands[extent.position], depth)
        shown = text(extent, operands)
        return shown if shown.isdigit() else f"({shown})"


def _region_of(access: Access) -> shadow.RegionOp | None:
    """The region whose element an access touches, if a label says so."""
    return next((label.of for label in shadow.labels_of(access)), None)


def _name(value: SSAValue) -> str:
    return value.name_hint or "?"


def _space_text(space: object) -> str:
    return space.data if isinstance(space, StringAttr) else str(space)
