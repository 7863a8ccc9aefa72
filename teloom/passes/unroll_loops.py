"""Pass `unroll-loops`: unrolled loops become copies, or serial loops that LLVM unrolls."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from teloom.analysis.extents import constant_extent, lower_bounds
from teloom.analysis.polynomials import Polynomial
from teloom.dialects import loop, te
from teloom.dialects.llvm import LOOP_ANNOTATION, LoopAnnotationAttr
from teloom.errors import PassError, remark
from teloom.passes.expected_level import refuse
from teloom.passes.index_code import emit_index

MOST_OPS = 4096
"""For which LLVM takes up to some seconds; for twice as many, up to four times as long."""

SERIAL = loop.LoopKindAttr(loop.LoopKind.SERIAL)
UNROLL = LoopAnnotationAttr.unrolled()


def iteration(op: loop.ForOp, number: int, rewriter: PatternRewriter) -> SSAValue:
    """The induction variable `number` iterations after the first.

    The loop has one lower bound.
    """

    def emit(op: Operation) -> SSAValue:
        rewriter.insert(op)
        return op.results[0]

    (lower,) = lower_bounds(op)
    return emit_index(lower + Polynomial.constant(number), emit)


class InlineSingleIteration(RewritePattern):
    """A loop that runs once is its body."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        if len(op.lower.data.results) != 1 or constant_extent(op) != 1:
            return
        value = iteration(op, 0, rewriter)
        if value.name_hint is None:
            value.name_hint = op.induction_variable.name_hint
        rewriter.inline_block(op.body.block, InsertPoint.before(op), [value])
        rewriter.erase(op)


@dataclass
class LeaveLong(RewritePattern):
    """A loop whose copies would be too many ops stays a loop."""

    most_ops: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        extent, ops = constant_extent(op), _ops_of_copies(op)
        is_unrolled = op.kind.data is loop.LoopKind.UNROLLED and extent is not None
        if not is_unrolled or ops <= self.most_ops:
            return
        op.kind = SERIAL
        rewriter.notify_op_modified(op)
        remark(
            f"axis {op.induction_variable.name_hint or '<unnamed>'} is not unrolled: "
            f"{extent} copies of its body have {ops} ops, more than {self.most_ops}, "
            "for which LLVM takes long; split it, and unroll the inner axis",
            op,
        )


def _ops_of_copies(op: Operation) -> int:
    """How many ops there are in `op` once loops in it, and itself, are unrolled."""
    inside = sum(
        1 + _ops_of_copies(inner)
        for region in op.regions
        for block in region.blocks
        for inner in block.ops
    )
    if isinstance(op, loop.ForOp) and op.kind.data is loop.LoopKind.UNROLLED:
        extent = constant_extent(op)
        return inside if extent is None else inside * extent
    return inside


class AnnotateUnrolled(RewritePattern):
    """LLVM is told to unroll a loop of constant extent; any other is left to it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        if op.kind.data is not loop.LoopKind.UNROLLED:
            return
        op.kind = SERIAL
        # LLVM warns the user about a loop that it was told to unroll and cannot.
        if constant_extent(op) is not None:
            op.attributes[LOOP_ANNOTATION] = UNROLL
        rewriter.notify_op_modified(op)


class ExpandUnrolled(RewritePattern):
    """One copy of the body per iteration."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        if op.kind.data is not loop.LoopKind.UNROLLED:
            return
        extent = constant_extent(op)
        if extent is None or len(op.lower.data.results) != 1:
            raise PassError(
                "an unrolled loop has no constant extent; leave expand off, "
                "and LLVM unrolls it if it can",
                op,
            )
        for number in range(extent):
            value = iteration(op, number, rewriter)
            mapping: dict[SSAValue, SSAValue] = {op.induction_variable: value}
            rewriter.insert([inner.clone(mapping) for inner in op.body.block.ops])
        rewriter.erase(op)


@dataclass(frozen=True)
class UnrollLoopsPass(ModulePass):
    """Turn unrolled loops into serial ones that LLVM is told to unroll.

    One of unknown extent is a serial loop and no more, for LLVM could not obey.
    The loop stays one loop here, for a small IR compiles faster, and LLVM makes the
    same machine code of it. A loop of any kind that runs exactly once becomes its body.
    One that would become too many ops stays a loop, and a remark says so: LLVM's time grows
    with the square of their number.

    Order: after `vectorize-loops`, whose loops over the vectors of a row are unrolled.

    Options:
        expand: copy the body here, once per iteration.
        keep_trivial: leave loops that run once as they are.
        most_ops: how many ops the copies of a loop's body may have together.

    Example: `unroll-loops`
    ```mlir
    func.func @fill(%A: memref<8xf32>, %x: f32) {
      loop.for %io = 0 to 1 {
        loop.for %i = %io to %io + 8 unrolled {
          memref.store %x, %A[%i] : memref<8xf32>
        }
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @fill(%A: memref<8xf32>, %x: f32) {
      %io = arith.constant 0 : index
      loop.for %i = %io to %io + 8 attributes {
        llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>
      } {
        memref.store %x, %A[%i] : memref<8xf32>
      }
      func.return
    }
    ```
    Refused: `unroll-loops{expand=true}`
    ```mlir
    func.func @fill(%n: index, %A: memref<?xf32>, %x: f32) {
      loop.for %i = 0 to %n unrolled {
        memref.store %x, %A[%i] : memref<?xf32>
      }
      func.return
    }
    ```
    with "an unrolled loop has no constant extent"
    """

    name = "unroll-loops"

    expand: bool = False
    keep_trivial: bool = False
    most_ops: int = MOST_OPS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.RegionOp, loop.AccessOp), "storage-flatten")
        patterns: list[RewritePattern] = []
        if not self.keep_trivial:
            patterns.append(InlineSingleIteration())
        patterns.append(LeaveLong(self.most_ops))
        patterns.append(ExpandUnrolled() if self.expand else AnnotateUnrolled())
        PatternRewriteWalker(
            GreedyRewritePatternApplier(patterns, dce_enabled=False),
            # Copies of a body hold loops that are to be unrolled as well.
            apply_recursively=self.expand,
        ).rewrite_module(op)
