"""Pass `buffer-reuse`: buffers that are not needed at the same time share memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain, permutations
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import func, memref
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

from teloom.analysis.in_place import InPlace
from teloom.analysis.moments import moments_in
from teloom.analysis.storage import BUFFER_ALIGNMENT, buffer_bytes, byte_width
from teloom.analysis.storage_plan import Demand, Lifetime, overlapping, plan
from teloom.analysis.threads import can_hand_over
from teloom.dialects import loop, te
from teloom.dialects.scopes import is_in_registers, is_tagged, scope_of_buffer
from teloom.passes.code_motion import compute_outside, is_known_outside, only_computes
from teloom.passes.expected_level import refuse
from teloom.passes.index_code import constant_index
from teloom.passes.storage_flatten import end_of
from teloom.passes.to_llvm.builder import STACK_LIMIT

TINY_BYTES = 4
"""Up to so many bytes a buffer shares with none: it may as well be a register."""

ALONE_BYTES = 4096
"""Up to so many bytes a buffer on the stack shares with none: twice what all vector registers
of a machine hold. LLVM keeps those in registers whose every index it knows."""

STACK_BYTES = STACK_LIMIT - 2**16
"""What the buffers of a function take on its stack; later passes have the rest."""

Allocation = memref.AllocOp | memref.AllocaOp

_BUFFER_OPERAND = {memref.LoadOp: 0, memref.StoreOp: 1, memref.DeallocOp: 0}
"""The ops that use a buffer and keep no address of it, with the operand that it is."""


class Part(NamedTuple):
    """An allocation that lies in a storage, from `line` on.

    A line has 64 bytes, or in a tagged scope as many as buffers there are aligned to.
    `moment` is where it stands in the program.
    """

    alloc: Allocation
    free: memref.DeallocOp | None
    moment: int
    line: int = 0

    @property
    def type(self) -> MemRefType:
        return self.alloc.memref.type

    @property
    def scope(self) -> str:
        scope = scope_of_buffer(self.type)
        assert scope is not None
        return scope

    @property
    def line_bytes(self) -> int:
        return _line_bytes(self.alloc, self.scope)

    @property
    def bytes(self) -> int:
        """Its size, if that is constant."""
        size = buffer_bytes(self.alloc.memref)
        assert size is not None
        return size

    @property
    def end(self) -> int:
        """Where it ends in the storage, in bytes, if its size is constant."""
        return self.line * self.line_bytes + self.bytes


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
    def is_on_stack(self) -> bool:
        return isinstance(self.parts[0].alloc, memref.AllocaOp)

    @property
    def company(self) -> Hashable:
        """What those have in common that may share memory."""
        first = self.parts[0]
        least = ALONE_BYTES if self.is_on_stack else TINY_BYTES
        is_small = self.kind is None and first.bytes <= least and not is_tagged(first.scope)
        alone = first.alloc if is_small or is_in_registers(first.scope) else None
        return self.kind, self.is_on_stack, first.scope, first.line_bytes, alone

    @property
    def is_merged(self) -> bool:
        """Whether it is one allocation with the others of its scope, overlapping or not."""
        return self.kind is None and is_tagged(self.parts[0].scope)

    @property
    def demand(self) -> Demand:
        """What it takes in lines, or counted in storages of its own symbolic size."""
        lines = 1 if self.kind is not None else -(-self.bytes // self.parts[0].line_bytes)
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
        first = self.parts[0]
        if not isinstance(op, loop.ForOp) or not can_hand_over(first.scope, op.kind.data):
            return False
        return all(is_known_outside(size, op) for size in first.alloc.dynamic_sizes)


def shared(
    storages: Sequence[Storage], in_place: Callable[[Storage, Storage], bool]
) -> list[Storage]:
    """The storages of one block, when those that are not needed together share memory.

    `in_place` says whether two that are needed together may begin together.
    """
    kinds: defaultdict[Hashable, list[Storage]] = defaultdict(list)
    for storage in storages:
        kinds[storage.company].append(storage)
    found: list[Storage] = []
    for alike in kinds.values():
        demands = [storage.demand for storage in alike]
        lines = plan(demands, _pairs(alike, in_place))
        groups = overlapping(demands, lines)
        if alike[0].is_merged:
            groups = [list(chain.from_iterable(groups))]
        for group in groups:
            first = lines[group[0]]
            found.append(reduce(Storage.join, (alike[k].moved(lines[k] - first) for k in group)))
    return found


def _pairs(
    storages: Sequence[Storage], in_place: Callable[[Storage, Storage], bool]
) -> dict[int, set[int]]:
    """Of each storage, by its number, the others that may begin with it."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for (k, a), (j, b) in permutations(enumerate(storages), 2):
        if k not in found[j] and in_place(a, b):
            found[k].add(j)
            found[j].add(k)
    return found


def _computation(value: SSAValue) -> Hashable:
    """How `value` is computed; two values that are computed alike are equal."""
    op = value.owner
    if isinstance(op, Block) or not only_computes(op):
        return value
    said = frozenset((op.properties | op.attributes).items())
    return op.name, said, tuple(_computation(operand) for operand in op.operands)


def _is_plain(op: Allocation) -> bool:
    """Whether `op` gives flat memory, on boundaries of lines, whose address goes nowhere."""
    given = op.memref.type
    scope = scope_of_buffer(given)
    return (
        len(given.shape) == 1
        and given.layout == NoneAttr()
        and scope is not None
        and isinstance(given.element_type, FixedBitwidthType | IndexType)
        and _line_bytes(op, scope) >= max(byte_width(given.element_type), _alignment(op))
        and all(_BUFFER_OPERAND.get(type(use.operation)) == use.index for use in op.memref.uses)
    )


def _alignment(op: Allocation) -> int:
    return BUFFER_ALIGNMENT if op.alignment is None else op.alignment.value.data


def _line_bytes(op: Allocation, scope: str) -> int:
    """What a buffer begins at a multiple of, in the memory of its scope."""
    return _alignment(op) if is_tagged(scope) else BUFFER_ALIGNMENT


class Reuse:
    """Finds storage for the allocations in a module, from the innermost blocks out.

    Where an allocation stands only changes when its storage goes no further out.
    """

    def __init__(self, module: ModuleOp, hoist: bool, share: bool, in_place: bool):
        self.hoist = hoist
        self.share = share
        self.in_place = in_place
        self._moments = moments_in(module)
        self._places: list[tuple[Storage, Block]] = []
        self._ends = {life.first: life.last for life in self._moments.values()}

    def apply(self, module: ModuleOp) -> None:
        self._inside(module)
        on_heap = _beyond_stack(self._places)
        for storage, block in self._places:
            _put(storage, block, storage.is_on_stack and storage not in on_heap)

    def _inside(self, op: Operation) -> list[Storage]:
        """The storages of the regions of `op` that lie in front of it; the others have a place."""
        found: list[Storage] = []
        for region in op.regions:
            for block in region.blocks:
                storages = self._of_block(block)
                if self.share:
                    storages = shared(
                        storages, partial(self._may_take_over, InPlace(block, self._moments))
                    )
                for storage in storages:
                    if self.hoist and storage.can_leave(op):
                        found.append(storage)
                    else:
                        self._places.append((storage, block))
        if isinstance(op, loop.ForOp):
            # What an iteration leaves behind is not needed, but any iteration needs it all.
            life = self._moments[op]
            return [Storage(storage.parts, storage.kind, life) for storage in found]
        return found

    def _may_take_over(self, proof: InPlace, source: Storage, target: Storage) -> bool:
        """Whether `target` may begin where `source` does, of whose use it sees the end."""
        start = target.life.first
        return (
            self.in_place
            and source.life.first <= start <= source.life.last <= self._ends[start]
            and all(
                a.line == b.line
                and byte_width(a.type.element_type) == byte_width(b.type.element_type)
                and proof.fits(a.alloc.memref, b.alloc.memref)
                for a in source.parts
                for b in target.parts
            )
        )

    def _of_block(self, block: Block) -> list[Storage]:
        found: list[Storage] = []
        for op in tuple(block.ops):
            found += self._inside(op)
            if isinstance(op, Allocation) and (storage := self._of_alloc(op, block)):
                found.append(storage)
        return found

    def _of_alloc(self, op: Allocation, block: Block) -> Storage | None:
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
        if isinstance(op, memref.AllocaOp):
            if frees or op.dynamic_sizes:
                return None
        elif len(frees) != 1 or frees[0].parent is not block:
            return None
        kind = None
        if op.dynamic_sizes:
            kind = _computation(op.dynamic_sizes[0]), op.memref.type.element_type
        moment = self._moments[op]
        return Storage((Part(op, next(iter(frees), None), moment.first),), kind, life or moment)


Views = dict[tuple[MemRefType, int], SSAValue]
"""The buffer of each type that begins at a line of a storage."""


def _beyond_stack(places: Sequence[tuple[Storage, Block]]) -> set[Storage]:
    """The largest storages on the stack of each function that has too much there.

    A function with results cannot say that an allocation failed: it keeps its own.
    """
    functions: defaultdict[func.FuncOp, list[Storage]] = defaultdict(list)
    for storage, block in places:
        function = _function_around(block)
        if storage.is_on_stack and function and not function.function_type.outputs.data:
            functions[function].append(storage)
    found: set[Storage] = set()
    for function, storages in functions.items():
        others = _stack_bytes(function) - sum(p.bytes for s in storages for p in s.parts)
        left = STACK_BYTES - others - sum(storage.bytes for storage in storages)
        for storage in sorted(storages, key=lambda storage: storage.bytes, reverse=True):
            if left >= 0:
                break
            found.add(storage)
            left += storage.bytes
    return found


def _stack_bytes(function: func.FuncOp) -> int:
    """What its buffers of constant size take on the stack, if none share."""
    buffers = (op.memref for op in function.walk() if isinstance(op, memref.AllocaOp))
    return sum(buffer_bytes(buffer) or 0 for buffer in buffers)


def _function_around(block: Block) -> func.FuncOp | None:
    op = block.parent_op()
    while op is not None and not isinstance(op, func.FuncOp):
        op = op.parent_op()
    return op


def _memory(storage: Storage, on_stack: bool) -> tuple[list[Operation], Views]:
    """What allocates `storage`, the allocation first, and the buffers in it."""
    first, line_bytes = storage.parts[0].alloc, storage.parts[0].line_bytes
    kind = memref.AllocaOp if on_stack else memref.AllocOp
    wanted: dict[tuple[MemRefType, int], str | None] = {}
    for part in storage.parts:
        wanted.setdefault((part.type, part.line), part.alloc.memref.name_hint)
    alignment = IntegerAttr(max(_alignment(part.alloc) for part in storage.parts), i64)
    if len(wanted) == 1:
        type, name = first.memref.type, first.memref.name_hint
    else:
        type = MemRefType(i8, [storage.bytes], NoneAttr(), first.memref.type.memory_space)
        name = "storage"
    memory = kind.build(
        operands=[first.dynamic_sizes, []],
        result_types=[type],
        properties={"alignment": alignment},
    )
    memory.memref.name_hint = name
    memory.location = first.location
    if len(wanted) == 1:
        return [memory], dict.fromkeys(wanted, memory.memref)
    ops: list[Operation] = [memory]
    views: Views = {}
    for (type, line), name in wanted.items():
        shift = constant_index(line * line_bytes)
        view = memref.ViewOp(memory.memref, shift, (), type)
        view.result.name_hint = name
        ops += (shift, view)
        views[type, line] = view.result
    return ops, views


def _put(storage: Storage, block: Block, on_stack: bool) -> None:
    """Allocates `storage` in `block`, and lets its parts lie there."""
    first = storage.parts[0].alloc
    is_there = first.parent is block and not storage.is_on_stack
    if len(storage.parts) == 1 and (on_stack or is_there):
        return
    place = block.find_ancestor_op_in_block(first)
    assert place is not None
    for size in first.dynamic_sizes:
        compute_outside(size, place)
    ops, views = _memory(storage, on_stack)
    Rewriter.insert_op(ops, InsertPoint.before(place))
    if not on_stack:
        Rewriter.insert_op(memref.DeallocOp.get(ops[0].results[0]), end_of(block))
    for part in storage.parts:
        if part.free is not None:
            Rewriter.erase_op(part.free)
        part.alloc.memref.replace_all_uses_with(views[part.type, part.line])
        Rewriter.erase_op(part.alloc)


@dataclass(frozen=True)
class BufferReusePass(ModulePass):
    """Let buffers that are not needed at the same time share memory.

    From the innermost block out: buffers of a block share memory if no op of that block
    needs both. Their memory moves in front of the loop around them, so that no
    iteration allocates, and is a buffer of the block around. It stays in the iterations
    of loops that are parallel or over blocks, which run at the same time, and of those
    over threads that do not all see one copy of what is in its scope; where its size
    depends on the loop; and, if its size is symbolic, in a branch.

    Buffers of two scopes never share, nor do those that may lie in registers: untagged
    ones in `warp` and `local`, and of at most 4 bytes. Those of a tagged scope that
    stand at one place are all in one allocation, each on a boundary of its alignment.

    Two buffers that one loop nest uses share memory as well, from its start, if one can be
    made in place of the other: no element is written before the element that lies there is
    used for the last time. Iterations that are parallel, in lanes or in threads are in no
    order; an index that is not affine may be any.

    Buffers of constant size that share are views of one allocation of bytes, at offsets
    that are multiples of 64; if all are of one type and begin where it does, they are
    one buffer. Those of symbolic size share if they have the same size, computed in the
    same way, and the same element type.

    Those on the stack share among themselves, but for those of at most 4096 bytes, which
    LLVM may keep in registers. A function allocates them once, wherever they stand. If it
    needs more than 960 KiB of them, the largest are on the heap instead.

    A buffer that an op other than `memref.load` and `memref.store` uses stays as it is.

    Order: after `storage-flatten`, which makes the buffers; before `vectorize-loops`,
    which sees that lanes share what was hoisted.

    Options:
        hoist: move memory out of loops.
        share: let buffers share memory.
        in_place: let a buffer take the memory of one that the same loops read.

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
          %back = affine.apply affine_map<(d0) -> (199 - d0)> (%i)
          %v = memref.load %b[%back] : memref<200xf32>
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
          %back = affine.apply affine_map<(d0) -> (199 - d0)> (%i)
          %v = memref.load %b[%back] : memref<200xf32>
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
    Example: `buffer-reuse`
    ```mlir
    func.func @in_place(%n: index, %A: memref<?xf32>, %B: memref<?xi32>) {
      %t = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      loop.for %i = 0 to %n {
        %v = memref.load %A[%i] : memref<?xf32>
        memref.store %v, %t[%i] : memref<?xf32>
      }
      %u = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      loop.for %i = 0 to %n - 1 {
        %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
        %v = memref.load %t[%next] : memref<?xf32>
        memref.store %v, %u[%i] : memref<?xf32>
      }
      loop.for %i = 0 to %n - 1 {
        %v = memref.load %u[%i] : memref<?xf32>
        %w = arith.fptosi %v : f32 to i32
        memref.store %w, %B[%i] : memref<?xi32>
      }
      memref.dealloc %t : memref<?xf32>
      memref.dealloc %u : memref<?xf32>
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @in_place(%n: index, %A: memref<?xf32>, %B: memref<?xi32>) {
      %t = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      loop.for %i = 0 to %n {
        %v = memref.load %A[%i] : memref<?xf32>
        memref.store %v, %t[%i] : memref<?xf32>
      }
      loop.for %i = 0 to %n - 1 {
        %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
        %v = memref.load %t[%next] : memref<?xf32>
        memref.store %v, %t[%i] : memref<?xf32>
      }
      loop.for %i = 0 to %n - 1 {
        %v = memref.load %t[%i] : memref<?xf32>
        %w = arith.fptosi %v : f32 to i32
        memref.store %w, %B[%i] : memref<?xi32>
      }
      memref.dealloc %t : memref<?xf32>
      func.return
    }
    ```
    """

    name = "buffer-reuse"

    hoist: bool = True
    share: bool = True
    in_place: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.RegionOp, loop.AccessOp), "storage-flatten")
        Reuse(op, self.hoist, self.share, self.in_place).apply(op)
