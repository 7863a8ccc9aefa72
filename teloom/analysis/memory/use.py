"""What memory a function takes: its allocations, the buffers in them, and when each is used.

Read off the IR alone: allocations, views, uses. Nothing is asked of what planned them.
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
"""How much of the arithmetic of a size its text shows."""


@dataclass(frozen=True)
class Buffer:
    """A buffer in an allocation, from the byte `offset` on, if that is known.

    `first` and `last` count the ops of the function in the order of the text; a loop uses
    a buffer of outside from its first op to its last.
    """

    name: str
    bytes: int | None
    size: str
    offset: int | None
    first: int
    last: int


@dataclass(frozen=True)
class Allocation:
    """One piece of memory, from op `first` to op `last`; `bytes` if that is known."""

    name: str
    scope: str
    place: str
    bytes: int | None
    size: str
    first: int
    last: int
    buffers: tuple[Buffer, ...]


@dataclass(frozen=True)
class MemoryUse:
    """The memory of a function of so many ops."""

    function: str
    ops: int
    allocations: tuple[Allocation, ...]

    def kinds(self) -> list[tuple[str, str]]:
        """The scopes and places, heap or stack, in which there is memory."""
        return sorted({(one.scope, one.place) for one in self.allocations})

    def of(self, kind: tuple[str, str] | None) -> list[Allocation]:
        """The allocations of a scope and place, or all."""
        return [one for one in self.allocations if kind in (None, (one.scope, one.place))]

    def peak(self, kind: tuple[str, str] | None = None) -> int | None:
        """The most bytes that there are at one time, of one scope and place or of all.

        None if the size of one of them is not known.
        """
        found = [(one, one.bytes) for one in self.of(kind) if one.bytes is not None]
        if len(found) < len(self.of(kind)):
            return None
        moments = {one.first for one, _ in found}
        return max(
            (sum(b for one, b in found if one.first <= at <= one.last) for at in moments), default=0
        )

    def total(self, kind: tuple[str, str] | None = None) -> str:
        """The bytes of all allocations together, as an expression over sizes."""
        sizes = Counter(one.size for one in self.of(kind))
        return " + ".join(
            size if count == 1 else f"{count} * {size}" for size, count in sizes.items()
        )


def size_names(function: func.FuncOp) -> list[str]:
    """The names of the sizes of a function, which `memory_use` knows them by."""
    sizes = (argument for argument in function.body.block.args if argument.type == IndexType())
    return [size.name_hint for size in sizes if size.name_hint is not None]


Sizes = Mapping[str, int] | Mapping[int, int]
"""Values of sizes, by their names or by their positions among the arguments."""


def memory_use(function: func.FuncOp, sizes: Sizes) -> MemoryUse:
    """The memory of a function, where sizes have these values; others are unknown.

    Raises `teloom.Error` for a size that the function does not have, and for a value that no
    size has.
    """
    return _Reader(function, _values(function, sizes)).read()


def check_size(size: object, value: int) -> None:
    """Raises `teloom.Error` where no size has this value."""
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
            for op in self.function.walk()
            if isinstance(op, memref.AllocOp | memref.AllocaOp)
        ]
        ops = self.spans[self.function].last
        return MemoryUse(self.function.sym_name.data, ops, tuple(allocations))

    def _allocation(self, op: memref.AllocOp | memref.AllocaOp) -> Allocation:
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
        return Allocation(
            _name(op.memref),
            scope,
            "heap" if isinstance(op, memref.AllocOp) else "stack",
            bytes,
            size,
            self.spans[op][0],
            max(frees, default=self.spans[block.last_op][1]),
            tuple(self._buffers(op.memref, op.dynamic_sizes, 0)),
        )

    def _buffers(self, buffer: SSAValue, sizes, offset: int | None) -> Iterator[Buffer]:
        """What lies in the views of a buffer and in itself: regions, where accesses name them."""
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
            yield Buffer(name, bytes, size, offset, first, last)

    def _bytes(self, buffer: SSAValue, sizes) -> tuple[str, int | None]:
        type = buffer.type
        assert isinstance(type, MemRefType)
        dynamic = iter(sizes)
        known = reduce(operator.mul, (e for e in type.get_shape() if e != DYNAMIC_INDEX), 1)
        known *= byte_width(type.element_type)
        counts = [next(dynamic) for extent in type.get_shape() if extent == DYNAMIC_INDEX]
        numbers = [self._number(count) for count in counts]
        said = " * ".join([*(self._text(count) for count in counts), str(known)])
        if any(number is None for number in numbers):
            return said, None
        return said, reduce(operator.mul, (n for n in numbers if n is not None), known)

    def _number(self, value: SSAValue) -> int | None:
        return index_value(value, self.numbers.get)

    def _text(self, value: SSAValue, depth: int = SHOWN_DEPTH) -> str:
        """How `value` is computed; by its name, what is nested deeper than `depth`."""
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
        said = text(extent, operands)
        return said if said.isdigit() else f"({said})"


def _region_of(access: Access) -> shadow.RegionOp | None:
    """The region of which an access is to an element, if it says so."""
    return next((label.of for label in shadow.labels_of(access)), None)


def _name(value: SSAValue) -> str:
    return value.name_hint or "?"


def _space_text(space: object) -> str:
    return space.data if isinstance(space, StringAttr) else str(space)
