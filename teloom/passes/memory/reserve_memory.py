"""Pass `reserve-memory`: a function allocates the memory of its loops and branches at entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp, NoneAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.largest_values import Unknown
from teloom.dialects import loop
from teloom.dialects.bodies.preorder import ops_in
from teloom.passes.code.entry_code import EntryCode
from teloom.passes.code.thread_numbers import declare_threads, thread_count
from teloom.passes.memory.allocate_early import first_that_acts
from teloom.passes.memory.largest_sizes import LargestSizes
from teloom.passes.memory.reserved_piece import Chain, ReservedPiece


def _allocates(op: Operation) -> bool:
    return bool(ops_in(op, memref.AllocOp))


def _is_shared(op: Operation) -> bool:
    """Whether the threads of a call share the iterations of `op`: the outermost parallel loop."""
    is_parallel = isinstance(op, loop.ForOp) and op.kind.data.is_parallel
    return is_parallel and not loop.is_in_parallel(op)


def _chains(op: Operation, held: Chain) -> Iterator[Chain]:
    """The longest chains of buffers that the blocks inside of `op` hold at one time.

    `held` is what the blocks around hold, and begins each chain. Buffers must be allocated and
    freed like a stack: each lies behind the one that is below it in its chain. Raises `Unknown`
    if one is allocated above a buffer that is already free, for that would leave a hole, and
    if one is not free at the end of its block. What an outermost parallel loop inside of `op`
    allocates is left out: each thread has that for itself.
    """
    for block in (block for region in op.regions for block in region.blocks):
        there, has_grown = held, False
        freed: set[SSAValue] = set()
        for inner in block.ops:
            if isinstance(inner, memref.DeallocOp):
                if has_grown:
                    yield there
                has_grown = False
                freed.add(inner.memref)
                while there != held and there[-1].memref in freed:
                    there = there[:-1]
            elif _allocates(inner) and not _is_shared(inner):
                if any(buffer.memref in freed for buffer in there):
                    raise Unknown
                if isinstance(inner, memref.AllocOp):
                    there, has_grown = (*there, _understood(inner)), True
                else:
                    yield from _chains(inner, there)
        if there != held:
            raise Unknown


def _understood(op: memref.AllocOp) -> memref.AllocOp:
    """`op`; raises `Unknown` unless its memory is flat and freed once, in its own block."""
    type = op.memref.type
    frees = [u.operation for u in op.memref.uses if isinstance(u.operation, memref.DeallocOp)]
    if (
        len(type.shape) != 1
        or type.layout != NoneAttr()
        or len(frees) != 1
        or frees[0].parent is not op.parent
    ):
        raise Unknown
    return op


class _Nests:
    """The loops and branches of a function that allocate; `first` is its first op with an effect.

    Raises `Unknown` if an op between `first` and the last nest allocates, for then a call could
    still fail after it has written; or frees, for then the peak would rise.
    """

    def __init__(self, block: Block, first: Operation, nests: Sequence[Operation]):
        self.last = nests[-1]
        self.code = EntryCode(first)
        loops = [inner for nest in nests for inner in ops_in(nest, loop.ForOp)]
        shared = [inner for inner in loops if _is_shared(inner)]
        serial = [nest for nest in nests if nest not in shared]
        self.chains = [chain for nest in serial for chain in _chains(nest, ())]
        self.of_threads = [chain for nest in shared for chain in _chains(nest, ())]
        op = first
        while op is not self.last:
            if isinstance(op, memref.AllocOp | memref.DeallocOp):
                raise Unknown
            assert op.next_op is not None
            op = op.next_op
        self.sizes = {
            chain: self._sizes(chain, block) for chain in (*self.chains, *self.of_threads)
        }

    def _sizes(self, chain: Chain, outermost: Block) -> LargestSizes:
        assert chain[-1].parent is not None
        return LargestSizes(chain, chain[-1].parent, outermost, self.code)

    def reserve(self, name: str) -> None:
        """Make the buffers of the function `name` views of memory that is allocated at entry.

        With a single chain each buffer has an allocation of its own, so that LLVM knows that no two
        alias. Several chains need the memory at different times and share one. Buffers of parallel
        loops have a memory of their own, with a copy for each thread.
        """
        self._reserve(self.chains, name, None)
        if self.of_threads:
            self._reserve(self.of_threads, f"{name}.threads", thread_count(self.code))

    def _reserve(self, chains: Sequence[Chain], name: str, threads: SSAValue | None) -> None:
        cases = [case for chain in chains for case in self.sizes[chain].emit()]
        buffers = dict.fromkeys(buffer for chain in chains for buffer in chain)
        if not cases:
            return  # no loop ever runs
        if len(chains) == 1:
            pieces = [ReservedPiece((buffer,), (), self.code, threads) for buffer in buffers]
        else:
            pieces = [ReservedPiece(tuple(buffers), tuple(chains), self.code, threads)]
        for piece in pieces:
            reserved = piece.take(cases)
            Rewriter.insert_op(memref.DeallocOp.get(reserved.memory), InsertPoint.after(self.last))
            piece.put(reserved, name)


def _calls_one_of(function: func.FuncOp, names: set[str]) -> bool:
    return any(op.callee.string_value() in names for op in ops_in(function, func.CallOp))


@dataclass(frozen=True)
class ReserveMemoryPass(ModulePass):
    """Allocate the memory of the buffers in loops and branches when a function begins.

    So a call that runs out of memory fails before it has written anything, and no iteration
    allocates. The iterations of a parallel loop that one thread runs use the same bytes, and each
    thread has its own, in cache lines of its own: as many copies as the call may use threads. The
    outermost of several nested parallel loops counts.

    The reserved memory is exactly the highest pressure, not an upper bound: each buffer has its
    largest size over all iterations, and none if its loop never runs or its branch is never
    taken. A function stays as it is if the exact size is unknown:

    - a bound, a condition or an extent is not affine in induction variables;
    - no single iteration needs the largest size of all buffers that are live together;
    - it calls a function of the module that may allocate, too;
    - something is freed or allocated between its first op with an effect and the last loop or
      branch that allocates.

    Order: after `align-accesses`, which reads the alignment of allocations; before
    `lower-loops`, while the iterations of loops are known.

    Example: `reserve-memory`
    ```mlir
    func.func @triangle(%n: index, %x: f32, %A: memref<?xf32>) {
      loop.for %i = 0 to %n {
        %size = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
        %b = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
        memref.store %x, %b[%i] : memref<?xf32>
        %v = memref.load %b[%i] : memref<?xf32>
        memref.store %v, %A[%i] : memref<?xf32>
        memref.dealloc %b : memref<?xf32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @triangle(%n: index, %x: f32, %A: memref<?xf32>) {
      %bytes = loop.element_count [%n, 4]
      %minus = arith.constant -1 : index
      %last = arith.addi %n, %minus : index
      %none = arith.constant 0 : index
      %runs = arith.cmpi sge, %last, %none : index
      %nothing = arith.constant 0 : index
      %needed = arith.select %runs, %bytes, %nothing : index
      %reserved = memref.alloc(%needed) {alignment = 64 : i64} : memref<?xi8>
      loop.for %i = 0 to %n {
        %size = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
        %start = arith.constant 0 : index
        %b = memref.view %reserved[%start][%size] : memref<?xi8> to memref<?xf32>
        memref.store %x, %b[%i] : memref<?xf32>
        %v = memref.load %b[%i] : memref<?xf32>
        memref.store %v, %A[%i] : memref<?xf32>
      }
      memref.dealloc %reserved : memref<?xi8>
      func.return
    }
    ```
    """

    name = "reserve-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [f for f in op.ops if isinstance(f, func.FuncOp) and f.body.blocks]
        defined = {function.sym_name.data for function in functions}
        may_allocate = {
            function.sym_name.data
            for function in functions
            if _allocates(function) or _calls_one_of(function, defined)
        }
        for function in functions:
            block = function.body.blocks[0]
            first = first_that_acts(block)
            nests = [inner for inner in block.ops if inner.regions and _allocates(inner)]
            if first is None or not nests or _calls_one_of(function, may_allocate):
                continue
            try:
                found = _Nests(block, first, nests)
            except Unknown:
                continue
            found.reserve(function.sym_name.data)
            if found.of_threads:
                declare_threads(op)
