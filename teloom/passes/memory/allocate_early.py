"""Pass `allocate-early`: a function allocates before it does anything else."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from teloom.dialects.bodies.preorder import ops_in


def _computable(block: Block) -> set[Operation]:
    """The ops that can run at entry: allocations of a size known there, and pure ops.

    Those behind a `memref.dealloc` stay: an allocation there may get the memory just freed.
    """
    found: set[Operation] = set()
    for op in block.ops:
        if isinstance(op, memref.DeallocOp):
            break
        acts = op.regions or not op.has_trait(Pure)
        if acts and not isinstance(op, memref.AllocOp):
            continue
        if all(isinstance(value.owner, Block) or value.owner in found for value in op.operands):
            found.add(op)
    return found


def first_that_acts(block: Block) -> Operation | None:
    """The first op with an effect other than allocating."""
    for op in block.ops:
        if op.regions or not (op.has_trait(Pure) or isinstance(op, memref.AllocOp)):
            return op
    return None


def allocate_early(block: Block) -> None:
    """Move allocations, and what computes their sizes, in front of the first op that acts."""
    computable = _computable(block)
    front = next((op for op in block.ops if op not in computable), None)
    if front is None:
        return
    needed: dict[Operation, None] = {}
    for op in reversed(tuple(block.ops)):
        if op is front:
            break
        if op not in computable:
            continue
        if isinstance(op, memref.AllocOp) or any(use.operation in needed for use in _uses(op)):
            needed[op] = None
    for op in reversed(needed):
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(front))


def _uses(op: Operation) -> Iterator[Use]:
    return (use for result in op.results for use in result.uses)


@dataclass(frozen=True)
class AllocateEarlyPass(ModulePass):
    """Move allocations of a size known at entry to the front of their function.

    So a call that runs out of memory fails before it has written anything.

    Three kinds of allocations stay: those in loops and branches, those of a size that depends
    on data, and those behind a deallocation.

    Order: after `buffer-reuse`, which moves memory out of loops; before `lower-to-llvm`, where
    an allocation becomes an early exit of the function.

    Example: `allocate-early`
    ```mlir
    func.func @two(%n: index, %x: f32, %A: memref<?xf32>) {
      %zero = arith.constant 0 : index
      %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      memref.store %x, %A[%zero] : memref<?xf32>
      %m = affine.apply affine_map<(d0) -> (d0 + 1)> (%n)
      %c = memref.alloc(%m) {alignment = 64 : i64} : memref<?xf32>
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @two(%n: index, %x: f32, %A: memref<?xf32>) {
      %zero = arith.constant 0 : index
      %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
      %m = affine.apply affine_map<(d0) -> (d0 + 1)> (%n)
      %c = memref.alloc(%m) {alignment = 64 : i64} : memref<?xf32>
      memref.store %x, %A[%zero] : memref<?xf32>
      func.return
    }
    ```
    """

    name = "allocate-early"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in ops_in(op, func.FuncOp):
            if function.body.blocks:
                allocate_early(function.body.blocks[0])
