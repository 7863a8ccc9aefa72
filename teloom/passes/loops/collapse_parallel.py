"""Pass `collapse-parallel`: parallel loops around each other become one."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from teloom.analysis.index.extents import constant_extent
from teloom.dialects import loop, te
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.loop import LoopKind
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_bounds import set_bounds
from teloom.passes.expected_level import refuse


def _is_plain(op: loop.ForOp) -> bool:
    """Whether threads share a loop in equal parts, of which nothing else is asked."""
    bounds = op.lower.data.results, op.upper.data.results
    return op.kind.data is LoopKind.PARALLEL and not op.attributes and [*map(len, bounds)] == [1, 1]


def _parallel_in(block: Block) -> list[loop.ForOp] | None:
    """The parallel loops of a block, of which at most one runs; None if anything else acts."""
    found: list[loop.ForOp] = []
    for op in block.ops:
        if only_computes(op) or op.has_trait(IsTerminator):
            continue
        inner = _parallel_of(op)
        if inner is None or (found and inner):
            return None
        found += inner
    return found


def _parallel_of(op: Operation) -> list[loop.ForOp] | None:
    """The loop that an op is, or those of its branches; None if it is neither."""
    if isinstance(op, loop.ForOp):
        return [op] if _is_plain(op) else None
    if not isinstance(op, loop.IfOp | scf.IfOp) or op.results:
        return None
    found: list[loop.ForOp] = []
    for block in (block for region in op.regions for block in region.blocks):
        inner = _parallel_in(block)
        if inner is None:
            return None
        found += inner
    return found


def _collapse(op: loop.ForOp) -> None:
    """Makes one loop of a parallel loop and those of one extent that are its body, if there are."""
    inner = (_parallel_in(op.body.block) or []) if _is_plain(op) else []
    extents = {constant_extent(one) for one in inner}
    extent = extents.pop() if len(extents) == 1 else None
    if not extent:
        return
    (lower,), (upper,), values = op.lower.data.results, op.upper.data.results, op.operands_
    counter, head = op.induction_variable, IndexCode.before(op.body.block.ops.first)
    quotient = AffineExpr.dimension(len(values)) // extent
    number = head.expr(lower + quotient, [*values, counter], counter.name_hint)
    counter.replace_uses_with_if(number, lambda use: use.operation is not number.owner)
    counter.name_hint = f"{counter.name_hint}.{inner[0].axis_name}"
    for one in inner:
        _put_in_place(one, counter, extent)
    set_bounds(op, [AffineExpr.constant(0)], [(upper - lower) * extent], values)


def _put_in_place(inner: loop.ForOp, counter: SSAValue, extent: int) -> None:
    """Replaces a loop by the iteration that the counter of both loops says."""
    (lower,), values = inner.lower.data.results, inner.operands_
    remainder = AffineExpr.dimension(len(values)) % extent
    code = IndexCode.before(inner)
    number = code.expr(lower + remainder, [*values, counter], inner.axis_name)
    Rewriter.inline_block(inner.body.block, InsertPoint.before(inner), [number])
    Rewriter.erase_op(inner)


@dataclass(frozen=True)
class CollapseParallelPass(ModulePass):
    """Make one loop of parallel loops around each other, so that threads share all iterations.

    The body of the outer loop is an inner one, or branches with inner ones of the same constant
    extent; around these it only computes values. Any two iterations of the one loop may run at the
    same time, for any two of the outer loop may, and any two of the inner one.

    Where the outer loop does something else, where an inner one has no constant extent, and where
    one is dynamic or has attributes, the outer loop alone is shared: `outline-parallel` makes a
    serial loop of what is inside of it.

    Order: after `unroll-loops`, when no pass asks any more which element an iteration touches: the
    two counters are a quotient and a remainder from here on; before `lower-loops`, while bounds are
    affine.

    Example: `collapse-parallel`
    ```mlir
    func.func @fill(%x: f32, %A: memref<24xf32>) {
      loop.for %i = 0 to 4 parallel {
        loop.for %j = 0 to 6 parallel {
          %at = affine.apply affine_map<(d0, d1) -> (d0 * 6 + d1)> (%i, %j)
          memref.store %x, %A[%at] : memref<24xf32>
        }
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @fill(%x: f32, %A: memref<24xf32>) {
      loop.for %both = 0 to 24 parallel {
        %i = affine.apply affine_map<(d0) -> (d0 floordiv 6)> (%both)
        %j = affine.apply affine_map<(d0) -> (d0 mod 6)> (%both)
        %at = affine.apply affine_map<(d0, d1) -> (d0 * 6 + d1)> (%i, %j)
        memref.store %x, %A[%at] : memref<24xf32>
      }
      func.return
    }
    ```
    Refused: `collapse-parallel`
    ```mlir
    te.func @ones() -> (tensor<4xf32>) {
      %A = te.compute "A" (%i = 4) : tensor<4xf32> {
        %one = arith.constant 1.0 : f32
        te.yield %one : f32
      }
      te.return %A : tensor<4xf32>
    }
    ```
    with "te.func is left here; run te-to-loops first"
    """

    name = "collapse-parallel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "build-loops")
        for inner in reversed(ops_in(op, loop.ForOp)):  # those inside of others first
            _collapse(inner)
