"""Pass `unroll-loops`: unrolled loops become copies, or serial loops that LLVM unrolls."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)
from xdsl.rewriter import InsertPoint

from teloom.analysis.index.extents import constant_extent
from teloom.analysis.unrolled_size import MOST_INSTRUCTIONS, instructions
from teloom.dialects import loop, te
from teloom.dialects.affine.operands import bound_text
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.upstream.llvm import (
    LOOP_ANNOTATION,
    UNROLLED,
    LoopAnnotationAttr,
    annotate,
)
from teloom.errors import PassError
from teloom.passes.code.loop_bounds import write_numbers
from teloom.passes.code.loop_code import iteration, write_copies
from teloom.passes.code.rewriting import of_kind, rewrite
from teloom.passes.expected_level import refuse
from teloom.passes.loops.vector_loops import copies_of_short, fills_no_vector, is_open, tile_loops
from teloom.remarks import remark

SERIAL = loop.LoopKindAttr(loop.LoopKind.SERIAL)
ROLLED = LoopAnnotationAttr.saying("unroll", runtimeDisable=True)


class InlineSingleIteration(RewritePattern):
    """A loop with trip count 1 becomes its body."""

    @of_kind
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        if len(op.lower.data.results) != 1 or constant_extent(op) != 1:
            return
        value = iteration(op, 0)
        if value.name_hint is None:
            value.name_hint = op.induction_variable.name_hint
        rewriter.inline_block(op.body.block, InsertPoint.before(op), [value])
        rewriter.erase(op)


@dataclass
class LeaveLong(RewritePattern):
    """A loop that would unroll to too many instructions stays a loop."""

    most_instructions: int

    @of_kind
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        extent = constant_extent(op)
        if op.kind.data is not loop.LoopKind.UNROLLED or extent is None:
            return
        count = instructions(op)
        if count <= self.most_instructions:
            return
        op.kind = SERIAL
        rewriter.notify_op_modified(op)
        remark(
            f"axis {op.axis_name} is not unrolled: {extent} copies of its body are about {count} "
            f"instructions, more than {self.most_instructions}, for which LLVM takes long; "
            "split it, and unroll the inner axis",
            op,
        )


class AnnotateUnrolled(RewritePattern):
    """A loop of constant extent gets the annotation that makes LLVM unroll it."""

    @of_kind
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        if op.kind.data is not loop.LoopKind.UNROLLED:
            return
        op.kind = SERIAL
        rewriter.notify_op_modified(op)
        # LLVM would warn about a loop that has the annotation, and that it cannot unroll.
        if (threads := _on_threads(op)) is not None:
            remark(
                f"axis {op.axis_name} is not unrolled: {threads.axis_name}, in it, is parallel, "
                "and its code a function that threads call; unroll an axis inside of that",
                op,
            )
            return
        if constant_extent(op) is not None:
            _annotate(op)
            return
        lower = bound_text(op.lower.data.results, op.operands_, "max")
        upper = bound_text(op.upper.data.results, op.operands_, "min")
        remark(
            f"axis {op.axis_name} is not unrolled: from {lower} to {upper} is no constant number "
            "of iterations; the inner axis of a split has one if the factor divides the extent",
            op,
        )


def _on_threads(op: loop.ForOp) -> loop.ForOp | None:
    """A parallel loop in `op`, or None."""
    inner = (one for one in ops_in(op, loop.ForOp) if one.kind.data is loop.LoopKind.PARALLEL)
    return next(inner, None)


def _annotate(op: loop.ForOp) -> None:
    write_numbers(op)
    op.attributes[LOOP_ANNOTATION] = UNROLLED
    _leave_rolled(op)


def _annotate_vector_loops(module: ModuleOp) -> None:
    """Says how far LLVM unrolls serial loops of vectors, and where it can make none."""
    loops = [*filter(is_open, ops_in(module, loop.ForOp))]
    for op in tile_loops(module, loops):
        _annotate(op)
    for op in filter(is_open, loops):
        copies = copies_of_short(op)
        if copies > 1:
            op.attributes[LOOP_ANNOTATION] = LoopAnnotationAttr.saying("unroll", count=copies)
        elif fills_no_vector(op):
            annotate(op, LoopAnnotationAttr.not_vectorized())


def _leave_rolled(op: loop.ForOp) -> None:
    """Keeps LLVM from unrolling innermost loops in `op` whose extent only the call knows.

    Unrolled, `op` is copies of them, and LLVM's time to unroll each grows with the square of
    their number.
    """
    for inner in ops_in(op.body, loop.ForOp):
        if constant_extent(inner) is None and not ops_in(inner.body, loop.ForOp):
            inner.attributes.setdefault(LOOP_ANNOTATION, ROLLED)


class ExpandUnrolled(RewritePattern):
    """A loop becomes one copy of its body per iteration."""

    @of_kind
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
        write_copies(op, extent, rewriter)


@dataclass(frozen=True)
class UnrollLoopsPass(ModulePass):
    """Turn unrolled loops into serial ones with an annotation that makes LLVM unroll them.

    The loop stays a loop here: small IR compiles faster, and LLVM makes the same machine code
    of it. Its bounds become numbers, if it starts at 0. Innermost loops in it whose extent only
    the call knows are annotated to stay as they are, as there will be many. A loop of any kind
    with trip count 1 becomes its body.

    Serial loops of vectors say how far LLVM unrolls them, for it does nothing by itself where
    all innermost loops store vectors (see `lower-scf`): completely, if they count up to 16 rows of
    a small buffer, whose elements are registers then; four or two copies of a short body, if the
    loop may have so many iterations. A loop of scalars whose iterations never fill a vector is
    annotated for LLVM not to try.

    Two kinds of unrolled loops become plain serial loops, each with a remark that says why:

    - those whose trip count is not constant, which LLVM could not unroll. Tiles are such loops
      if the factor of the split does not divide the extent;
    - those of too many instructions, because LLVM's time grows with the square of their number.
      The count is that of all copies: their ops, the arithmetic of affine expressions, and
      unrolled loops inside. A loop inside that is left to LLVM counts four times.

    Order: after `vectorize-loops`, whose loops over the vectors of a row are unrolled.

    Options:
        expand: copy the body here, once per iteration.
        keep_trivial: keep loops with trip count 1.
        most_instructions: the largest number of instructions in all copies of a loop's body.

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
      loop.for %i = 0 to 8 attributes {
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
    most_instructions: int = MOST_INSTRUCTIONS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        if self.most_instructions < 0:
            raise PassError(
                f"most_instructions {self.most_instructions} is negative; "
                "with 0 no loop is unrolled"
            )
        patterns: list[RewritePattern] = []
        if not self.keep_trivial:
            patterns.append(InlineSingleIteration())
        patterns.append(LeaveLong(self.most_instructions))
        patterns.append(ExpandUnrolled() if self.expand else AnnotateUnrolled())
        while rewrite(op, patterns) and self.expand:
            pass  # copies of a body hold loops that are to be unrolled as well
        if not self.expand:
            _annotate_vector_loops(op)
