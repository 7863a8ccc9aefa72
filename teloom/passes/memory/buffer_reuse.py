"""Pass `buffer-reuse`: buffers whose live ranges are disjoint share memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IndexType,
    ModuleOp,
    NoneAttr,
)
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from teloom.analysis.accesses.in_place import InPlace
from teloom.analysis.memory.moments import moments_in
from teloom.analysis.memory.register_buffers import RegisterBuffers
from teloom.analysis.memory.storage import Allocation, buffer_bytes, byte_width
from teloom.analysis.memory.storage_plan import Lifetime
from teloom.dialects import loop, te
from teloom.dialects.bodies.around import ops_around
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.syntax.scopes import is_in_registers, is_tagged, scope_of_buffer
from teloom.dialects.target import target_of
from teloom.dialects.upstream.accesses import accesses_to
from teloom.passes.code.code_motion import computation
from teloom.passes.expected_level import refuse
from teloom.passes.memory.shared_storages import (
    PlacedAllocation,
    Storage,
    line_bytes,
    shared,
)
from teloom.passes.memory.storage_placement import put

TINY_BYTES = 4
"""The largest buffer that shares with none, because LLVM may keep it in a register."""

SYMBOLIC = "symbolic"
"""The kind of flat buffers of symbolic size."""


def _is_plain(op: Allocation, line_bytes: int) -> bool:
    """Whether `op` allocates contiguous, aligned memory whose address does not escape."""
    given = op.memref.type
    return (
        len(given.shape) > 0
        and given.layout == NoneAttr()
        and isinstance(given.element_type, FixedBitwidthType | IndexType)
        and line_bytes >= byte_width(given.element_type, op)
        and all(
            access.is_known or isinstance(access.op, memref.DeallocOp)
            for access in accesses_to(op.memref)
        )
    )


class Reuse:
    """Plans the storage of the allocations in a module, from the innermost blocks out.

    The IR stays as it is until every storage has its block; then each is placed once.
    """

    def __init__(self, module: ModuleOp, hoist: bool, share: bool, in_place: bool):
        self.hoist = hoist
        self.share = share
        self.in_place = in_place
        self._moments = moments_in(module)
        self._registers = RegisterBuffers(target_of(module))
        self._places: list[tuple[Storage, Block]] = []
        self._ops = {life.first: op for op, life in self._moments.items()}

    def apply(self, module: ModuleOp) -> None:
        self._inside(module)
        on_heap = _beyond_stack(self._places)
        for storage, block in self._places:
            put(storage, block, storage.is_on_stack and storage not in on_heap)

    def _inside(self, op: Operation) -> list[Storage]:
        """The storages inside of `op` that are hoisted out of it; the others get their block."""
        found: list[Storage] = []
        for region in op.regions:
            for block in region.blocks:
                leaving: list[Storage] = []
                staying: list[Storage] = []
                for storage in self._of_block(block):
                    leaves = self.hoist and storage.can_leave(op)
                    (leaving if leaves else staying).append(storage)
                if self.share and len(leaving) + len(staying) > 1:
                    in_place = partial(self._may_take_over, InPlace(block, self._moments))
                    leaving = shared(leaving, block, in_place)
                    staying = shared(staying, block, in_place)
                found += leaving
                self._places += ((storage, block) for storage in staying)
        if isinstance(op, loop.ForOp):
            # No value is live across iterations, but each iteration needs the memory: for the
            # block around, a hoisted storage is live throughout the loop.
            life = self._moments[op]
            return [Storage(storage.parts, storage.kind, life) for storage in found]
        return found

    def _may_take_over(self, proof: InPlace, source: Storage, target: Storage) -> bool:
        """Whether `target` may alias `source`, although their live ranges overlap.

        The op in which `target` becomes live must be the one in which `source` dies. Then a
        dependence test decides (`InPlace`). It compares indices, which are addresses only if
        the elements of both are of one size and their storages begin at one line.
        """
        start = target.life.first
        op = self._ops[start]
        return (
            self.in_place
            and source.life.first <= start <= source.life.last <= self._moments[op].last
            and all(
                a.line == b.line
                and byte_width(a.type.element_type) == byte_width(b.type.element_type)
                and proof.fits_inside(op, a.alloc.memref, b.alloc.memref)
                for a in source.parts
                for b in target.parts
            )
        )

    def _of_block(self, block: Block) -> list[Storage]:
        found: list[Storage] = []
        for op in block.ops:
            if op.regions:
                found += self._inside(op)
            elif isinstance(op, Allocation) and (storage := self._of_alloc(op, block)):
                found.append(storage)
        return found

    def _of_alloc(self, op: Allocation, block: Block) -> Storage | None:
        """The storage of a single allocation; None if the pass must leave it alone.

        Refused is what has no single live range in `block`: a use or a second free elsewhere.
        """
        scope = scope_of_buffer(op.memref.type)
        if scope is None or not _is_plain(op, line := line_bytes(op, scope)):
            return None
        frees: list[memref.DeallocOp] = []
        life: Lifetime | None = None
        for access in accesses_to(op.memref):
            place = block.find_ancestor_op_in_block(access.op)
            if place is None:
                return None
            if isinstance(access.op, memref.DeallocOp):
                frees.append(access.op)
            elif access.is_needed:
                moments = self._moments[place]
                life = moments if life is None else life.hull(moments)
        if isinstance(op, memref.AllocaOp):
            if frees or op.dynamic_sizes:
                return None
        elif len(frees) != 1 or frees[0].parent is not block:
            return None
        kind = SYMBOLIC if op.dynamic_sizes else None
        if len(op.memref.type.shape) > 1:
            kind = op.memref.type, tuple(map(computation, op.dynamic_sizes))
        moment = self._moments[op]
        free = next(iter(frees), None)
        part = PlacedAllocation(op, free, moment.first, self._is_in_registers(op), line)
        return Storage((part,), kind, life or moment)

    def _is_in_registers(self, op: Allocation) -> bool:
        scope, bytes = scope_of_buffer(op.memref.type), buffer_bytes(op.memref)
        if scope is None or is_tagged(scope):
            return False
        if is_in_registers(scope) or (bytes is not None and bytes <= TINY_BYTES):
            return True
        return isinstance(op, memref.AllocaOp) and self._registers.has(op)


def _beyond_stack(places: Sequence[tuple[Storage, Block]]) -> set[Storage]:
    """The largest storages of each function that needs too much stack: they go to the heap.

    A function with results keeps all on the stack: it could not report a failed allocation.
    """
    functions: defaultdict[func.FuncOp, list[Storage]] = defaultdict(list)
    for storage, block in places:
        function = _function_around(block)
        if storage.is_on_stack and function and not function.function_type.outputs.data:
            functions[function].append(storage)
    found: set[Storage] = set()
    for function, storages in functions.items():
        others = _stack_bytes(function) - sum(p.bytes for s in storages for p in s.parts)
        needed = others + sum(storage.bytes for storage in storages)
        left = target_of(function).buffers_stack_bytes - needed
        for storage in sorted(storages, key=lambda storage: storage.bytes, reverse=True):
            if left >= 0:
                break
            found.add(storage)
            left += storage.bytes
    return found


def _stack_bytes(function: func.FuncOp) -> int:
    """The bytes of its buffers of constant size on the stack, if none share."""
    buffers = ops_in(function, memref.AllocaOp)
    return sum(buffer_bytes(op.memref) or 0 for op in buffers)


def _function_around(block: Block) -> func.FuncOp | None:
    return next((op for op in ops_around(block) if isinstance(op, func.FuncOp)), None)


@dataclass(frozen=True)
class BufferReusePass(ModulePass):
    """Let buffers whose live ranges are disjoint share memory.

    The pass works from the innermost block out. Buffers of a block share memory if no op of
    the block uses both. Their memory is hoisted out of the loop around, so that no iteration
    allocates; then it is a buffer of the next block. Memory stays in a loop

    - that is parallel or over blocks of threads, for its iterations run at the same time;
    - over threads that do not all see one copy of what is in its scope;
    - if its size depends on the loop.

    Memory of symbolic size also stays in a branch.

    Two buffers with overlapping live ranges alias as well, if one can be computed in place of
    the other: no element is written before the last use of the element at its address.
    Iterations that are parallel, in lanes or in threads are unordered; an index that is not
    affine may have any value.

    These never share: buffers of two scopes; buffers that may lie in registers, which are
    untagged ones in `warp` and `local`, and those of at most 4 bytes; a buffer that an op
    uses without saying what it accesses.

    Flat buffers of constant size: those that share are views of one allocation of bytes. Their
    offsets are multiples of the target's alignment, or of their own if that is larger. If all
    have one type and offset 0, they are one buffer. Those aligned to more than the target's
    alignment share only with buffers of the same alignment. In a tagged scope, those of one
    block are all in one allocation, each aligned to its boundary.

    Flat buffers of symbolic size: those that share all begin at the start of one allocation. It
    has the size of the largest, which is known at compile time if the sizes differ by constants,
    and computed by the call otherwise. Buffers of several types are views of bytes. A size that
    depends on data is known too late to be compared: it shares only with sizes that are computed
    in the same way.

    Buffers of several dimensions: those of one type share, in place or one after the other, if
    their symbolic sizes are computed in the same way; they are one buffer. They share with no
    others, because such memory need not be a row of bytes. In a tagged scope, which may be
    small, they stay in their loop or branch.

    Buffers on the stack share among themselves, except those that LLVM keeps in registers: at
    most twice as many bytes as all registers hold, with indices that are constants after
    unrolling. A function allocates its stack buffers once, wherever they stand. If they exceed
    what the target's stack has for buffers, the largest go to the heap.

    Order: after `storage-flatten`, which makes the buffers; before `vectorize-loops`, for which
    a hoisted buffer is one that all lanes share.

    Options:
        hoist: move memory out of loops.
        share: let buffers share memory.
        in_place: let a buffer alias one that the same loops read.

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
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        if ops_in(op, memref.AllocOp, memref.AllocaOp):
            Reuse(op, self.hoist, self.share, self.in_place).apply(op)
