"""Pass `buffer-reuse`: buffers that are not needed at the same time share memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    i8,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from teloom.analysis.storage import BUFFER_ALIGNMENT, byte_width
from teloom.analysis.storage_plan import Demand, Lifetime, overlapping, plan
from teloom.dialects import loop, te
from teloom.passes.expected_level import refuse
from teloom.passes.index_code import constant_index
from teloom.passes.storage_flatten import end_of

_ONE_AFTER_ANOTHER = (loop.LoopKind.SERIAL, loop.LoopKind.VECTORIZED, loop.LoopKind.UNROLLED)
"""Kinds of loops whose iterations may use one buffer, each after the other."""

_BUFFER_OPERAND = {memref.LoadOp: 0, memref.StoreOp: 1, memref.DeallocOp: 0}
"""The ops that use a buffer and keep no address of it, with the operand that it is."""


class Part(NamedTuple):
    """An allocation that lies in a storage, from `line` on; a line has 64 bytes.

    `moment` is where it stands in the program.
    """

    alloc: memref.AllocOp
    free: memref.DeallocOp
    moment: int
    line: int = 0

    @property
    def type(self) -> MemRefType:
        return self.alloc.memref.type

    @property
    def end(self) -> int:
        """Where it ends in the storage, in bytes, if its size is constant."""
        (elements,) = self.type.get_shape()
        return self.line * BUFFER_ALIGNMENT + elements * byte_width(self.type.element_type)


@dataclass(frozen=True)
class Storage:
    """One piece of memory, and the allocations that lie in it, in program order.

    `kind` tells apart what cannot share: None where all sizes are constant, else how the
    one symbolic size is computed, and the type of the elements.
    """

    parts: tuple[Part, ...]
    kind: Hashable
    life: Lifetime

    @property
    def bytes(self) -> int:
        return max(part.end for part in self.parts)

    @property
    def demand(self) -> Demand:
        """What it takes in lines, or counted in storages of its own symbolic size."""
        lines = 1 if self.kind is not None else -(-self.bytes // BUFFER_ALIGNMENT)
        return Demand(max(1, lines), self.life)

    def join(self, other: Storage) -> Storage:
        parts = sorted((*self.parts, *other.parts), key=lambda part: part.moment)
        return Storage(tuple(parts), self.kind, self.life.hull(other.life))

    def moved(self, lines: int) -> Storage:
        parts = tuple(part._replace(line=part.line + lines) for part in self.parts)
        return Storage(parts, self.kind, self.life)

    def can_leave(self, op: Operation) -> bool:
        """Whether it may as well lie in front of `op`, which is around it."""
        if isinstance(op, loop.IfOp):
            return self.kind is None  # a size may be enormous where its condition fails
        if not isinstance(op, loop.ForOp) or op.kind.data not in _ONE_AFTER_ANOTHER:
            return False
        return all(_is_known_outside(size, op) for size in self.parts[0].alloc.dynamic_sizes)


def shared(storages: Sequence[Storage]) -> list[Storage]:
    """The storages of one block, when those that are not needed together share memory."""
    kinds: defaultdict[Hashable, list[Storage]] = defaultdict(list)
    for storage in storages:
        kinds[storage.kind].append(storage)
    found: list[Storage] = []
    for alike in kinds.values():
        demands = [storage.demand for storage in alike]
        lines = plan(demands)
        for group in overlapping(demands, lines):
            first = lines[group[0]]
            found.append(reduce(Storage.join, (alike[k].moved(lines[k] - first) for k in group)))
    return found


def _only_computes(op: Operation) -> bool:
    return op.has_trait(Pure) and not op.regions and len(op.results) == 1


def _computation(value: SSAValue) -> Hashable:
    """How `value` is computed; two values that are computed alike are equal."""
    op = value.owner
    if isinstance(op, Block) or not _only_computes(op):
        return value
    said = frozenset((op.properties | op.attributes).items())
    return op.name, said, tuple(_computation(operand) for operand in op.operands)


def _is_known_outside(value: SSAValue, op: Operation) -> bool:
    """Whether `value` can be computed in front of `op`."""
    owner = value.owner
    if not op.is_ancestor(owner):
        return True
    if isinstance(owner, Block) or not _only_computes(owner):
        return False
    return all(_is_known_outside(operand, op) for operand in owner.operands)


def _compute_outside(value: SSAValue, op: Operation) -> None:
    """Moves what computes `value` in front of `op`."""
    owner = value.owner
    if isinstance(owner, Block) or not op.is_ancestor(owner):
        return
    for operand in owner.operands:
        _compute_outside(operand, op)
    owner.detach()
    Rewriter.insert_op(owner, InsertPoint.before(op))


def _is_plain(op: memref.AllocOp) -> bool:
    """Whether `op` gives flat memory, aligned no more than ours, whose address goes nowhere."""
    given = op.memref.type
    return (
        len(given.shape) == 1
        and given.layout == NoneAttr()
        and given.memory_space == NoneAttr()
        and isinstance(given.element_type, FixedBitwidthType | IndexType)
        and _alignment(op) <= BUFFER_ALIGNMENT
        and all(_BUFFER_OPERAND.get(type(use.operation)) == use.index for use in op.memref.uses)
    )


def _alignment(op: memref.AllocOp) -> int:
    return BUFFER_ALIGNMENT if op.alignment is None else op.alignment.value.data


class Reuse:
    """Finds storage for the allocations in a module, from the innermost blocks out.

    Where an allocation stands only changes when its storage goes no further out.
    """

    def __init__(self, module: ModuleOp, hoist: bool, share: bool):
        self.hoist = hoist
        self.share = share
        self._moments: dict[Operation, Lifetime] = {}
        self._count_moments(module, 0)

    def _count_moments(self, op: Operation, first: int) -> int:
        last = first
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    last = self._count_moments(inner, last + 1)
        self._moments[op] = Lifetime(first, last)
        return last

    def inside(self, op: Operation) -> list[Storage]:
        """The storages of the regions of `op` that lie in front of it; the others are put."""
        found: list[Storage] = []
        for region in op.regions:
            for block in region.blocks:
                storages = self._of_block(block)
                if self.share:
                    storages = shared(storages)
                for storage in storages:
                    if self.hoist and storage.can_leave(op):
                        found.append(storage)
                    else:
                        _put(storage, block)
        if isinstance(op, loop.ForOp):
            # What an iteration leaves behind is not needed, but any iteration needs it all.
            life = self._moments[op]
            return [Storage(storage.parts, storage.kind, life) for storage in found]
        return found

    def _of_block(self, block: Block) -> list[Storage]:
        found: list[Storage] = []
        for op in tuple(block.ops):
            found += self.inside(op)
            if isinstance(op, memref.AllocOp) and (storage := self._of_alloc(op, block)):
                found.append(storage)
        return found

    def _of_alloc(self, op: memref.AllocOp, block: Block) -> Storage | None:
        """The storage of an allocation alone, if it is understood."""
        if not _is_plain(op):
            return None
        frees: list[memref.DeallocOp] = []
        life: Lifetime | None = None
        for use in op.memref.uses:
            place = block.find_ancestor_op_in_block(use.operation)
            if place is None:
                return None
            if isinstance(use.operation, memref.DeallocOp):
                frees.append(use.operation)
            else:
                moments = self._moments[place]
                life = moments if life is None else life.hull(moments)
        if len(frees) != 1 or frees[0].parent is not block:
            return None
        kind = None
        if op.dynamic_sizes:
            kind = _computation(op.dynamic_sizes[0]), op.memref.type.element_type
        moment = self._moments[op]
        return Storage((Part(op, frees[0], moment.first),), kind, life or moment)


Views = dict[tuple[MemRefType, int], SSAValue]
"""The buffer of each type that begins at a line of a storage."""


def _memory(storage: Storage) -> tuple[list[Operation], Views]:
    """What allocates `storage`, the allocation first, and the buffers in it."""
    first = storage.parts[0].alloc
    wanted: dict[tuple[MemRefType, int], str | None] = {}
    for part in storage.parts:
        wanted.setdefault((part.type, part.line), part.alloc.memref.name_hint)
    alignment = IntegerAttr(max(_alignment(part.alloc) for part in storage.parts), i64)
    if len(wanted) == 1:
        memory = first.clone()
        memory.alignment = alignment
        memory.memref.name_hint = first.memref.name_hint
        return [memory], dict.fromkeys(wanted, memory.memref)
    memory = memref.AllocOp((), (), MemRefType(i8, [storage.bytes]), alignment)
    memory.memref.name_hint = "storage"
    memory.location = first.location
    ops: list[Operation] = [memory]
    views: Views = {}
    for (type, line), name in wanted.items():
        shift = constant_index(line * BUFFER_ALIGNMENT)
        view = memref.ViewOp(memory.memref, shift, (), type)
        view.result.name_hint = name
        ops += (shift, view)
        views[type, line] = view.result
    return ops, views


def _put(storage: Storage, block: Block) -> None:
    """Allocates `storage` in `block`, and lets its parts lie there."""
    first = storage.parts[0].alloc
    if len(storage.parts) == 1 and first.parent is block:
        return
    place = block.find_ancestor_op_in_block(first)
    assert place is not None
    for size in first.dynamic_sizes:
        _compute_outside(size, place)
    ops, views = _memory(storage)
    Rewriter.insert_op(ops, InsertPoint.before(place))
    Rewriter.insert_op(memref.DeallocOp.get(ops[0].results[0]), end_of(block))
    for part in storage.parts:
        Rewriter.erase_op(part.free)
        part.alloc.memref.replace_all_uses_with(views[part.type, part.line])
        Rewriter.erase_op(part.alloc)


@dataclass(frozen=True)
class BufferReusePass(ModulePass):
    """Let heap buffers that are not needed at the same time share memory.

    From the innermost block out: buffers of a block share memory if no op of that block
    needs both. Then their memory moves in front of the loop around them, so that no
    iteration allocates, and is a buffer of the block around. It stays in the iterations
    of loops that are parallel or over a thread axis, which run at the same time; where
    its size depends on the loop; and, if its size is symbolic, in a branch.

    Buffers of constant size that share are views of one allocation of bytes, at offsets
    that are multiples of 64; if all are of one type and begin where it does, they are
    one buffer. Those of symbolic size share if they have the same size, computed in the
    same way, and the same element type.

    A buffer that an op other than `memref.load` and `memref.store` uses stays as it is.
    So does memory on the stack: a function allocates it once, wherever it stands.

    Order: after `storage-flatten`, which makes the buffers; before `vectorize-loops`,
    which sees that lanes share what was hoisted.

    Options:
        hoist: move memory out of loops.
        share: let buffers share memory.

    Example: `buffer-reuse`
    ```mlir
    func.func @stages(%n: index, %A: memref<?xf32>) {
      loop.for %y = 0 to %n {
        %b = memref.alloc() {alignment = 64 : i64} : memref<200xf32>
        loop.for %i = 0 to 200 {
          %v = memref.load %A[%i] : memref<?xf32>
          memref.store %v, %b[%i] : memref<200xf32>
        }
        %c = memref.alloc() {alignment = 64 : i64} : memref<200xf32>
        loop.for %i = 0 to 200 {
          %v = memref.load %b[%i] : memref<200xf32>
          memref.store %v, %c[%i] : memref<200xf32>
        }
        %d = memref.alloc() {alignment = 64 : i64} : memref<400xi16>
        loop.for %i = 0 to 200 {
          %v = memref.load %c[%i] : memref<200xf32>
          %w = arith.fptosi %v : f32 to i16
          memref.store %w, %d[%i] : memref<400xi16>
        }
        memref.dealloc %b : memref<200xf32>
        memref.dealloc %c : memref<200xf32>
        memref.dealloc %d : memref<400xi16>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @stages(%n: index, %A: memref<?xf32>) {
      %storage = memref.alloc() {alignment = 64 : i64} : memref<800xi8>
      %zero = arith.constant 0 : index
      %b = memref.view %storage[%zero][] : memref<800xi8> to memref<200xf32>
      %start = arith.constant 0 : index
      %d = memref.view %storage[%start][] : memref<800xi8> to memref<400xi16>
      %c = memref.alloc() {alignment = 64 : i64} : memref<200xf32>
      loop.for %y = 0 to %n {
        loop.for %i = 0 to 200 {
          %v = memref.load %A[%i] : memref<?xf32>
          memref.store %v, %b[%i] : memref<200xf32>
        }
        loop.for %i = 0 to 200 {
          %v = memref.load %b[%i] : memref<200xf32>
          memref.store %v, %c[%i] : memref<200xf32>
        }
        loop.for %i = 0 to 200 {
          %v = memref.load %c[%i] : memref<200xf32>
          %w = arith.fptosi %v : f32 to i16
          memref.store %w, %d[%i] : memref<400xi16>
        }
      }
      memref.dealloc %storage : memref<800xi8>
      memref.dealloc %c : memref<200xf32>
      func.return
    }
    ```
    """

    name = "buffer-reuse"

    hoist: bool = True
    share: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.RegionOp, loop.AccessOp), "storage-flatten")
        Reuse(op, self.hoist, self.share).inside(op)
