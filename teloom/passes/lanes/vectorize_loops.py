"""Pass `vectorize-loops`: the iterations of vectorized loops become lanes of vectors."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.accesses.interleaved import (
    interleaved_in,
    stored_neighbours,
    want_fewer_lanes,
)
from teloom.analysis.accesses.lane_conflicts import have_conflict, may_run_again, references_in
from teloom.analysis.accesses.lane_counts import lane_count, shorter_vectors
from teloom.analysis.accesses.panels import can_go_inside, panels_in
from teloom.analysis.index.extents import extents, lower_bounds, upper_bounds
from teloom.analysis.index.strides import LaneStrides
from teloom.analysis.unrolled_size import MOST_INSTRUCTIONS, UNROLLED_VECTORS, instructions
from teloom.dialects import loop, te
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.operands import exprs_of_forms
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.target import target_of
from teloom.dialects.upstream.accesses import accesses_of
from teloom.dialects.upstream.llvm import LoopAnnotationAttr, annotate
from teloom.errors import PassError
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_code import empty_body, loop_between, write_copies
from teloom.passes.code.rewriting import of_kind, rewrite
from teloom.passes.expected_level import refuse
from teloom.passes.lanes.folds import fold_of, write_fold
from teloom.passes.lanes.kept_loads import load_in_front
from teloom.passes.lanes.lanes import LANES, LaneWriter
from teloom.passes.lanes.private_buffers import expand
from teloom.passes.lanes.values import is_scalar_arithmetic
from teloom.passes.partition.loop_tests import settle_constants

ZERO = Polynomial.constant(0)

_SERIAL = loop.LoopKindAttr(loop.LoopKind.SERIAL)


def _can_be_lanes(op: Operation) -> bool:
    accesses = accesses_of(op)
    if not accesses:
        return LANES[type(op)] is not None or is_scalar_arithmetic(op)
    return all(one.is_known and one.lanes == 1 and len(one.indices) == 1 for one in accesses)


def lanes_of(op: loop.ForOp, bytes: int, private: Sequence[SSAValue] = ()) -> LaneStrides | None:
    """The number of lanes with which `op` still computes the same; None if there is none.

    `private` are buffers that each iteration uses for itself alone.
    """
    if not all(_can_be_lanes(inner) for inner in preorder(op.body.block)):
        return None
    lanes, references = lane_count(op, bytes), references_in(op)
    # With few lanes, masked branches cost more than the lanes save.
    has_branches = any(isinstance(inner, scf.IfOp) for inner in preorder(op.body.block))
    least = max(2, lanes // 2 if has_branches else 2)
    while lanes >= least:
        strides = LaneStrides(op, lanes)
        if not have_conflict(op, references, strides) and not want_fewer_lanes(op, strides):
            # Without one whole vector from memory, each vector would be assembled lane by lane.
            shared = (one.access for one in references if one.access.buffer not in private)
            indices = (index for access in shared for index in access.indices)
            is_whole = any(strides.of(index) == 1 for index in indices)
            return strides if is_whole or interleaved_in(op, strides) else None
        lanes //= 2
    return None


class _Splitter:
    """Splits a loop into one over whole vectors and one over the iterations left."""

    def __init__(
        self, op: loop.ForOp, strides: LaneStrides, rewriter: PatternRewriter, may_flush: bool
    ):
        self.op = op
        self.may_flush = may_flush
        self.strides = strides
        self.rewriter = rewriter
        self.point = InsertPoint.before(op)
        self.extents = extents(op)
        self.counts = [extent.floordiv(strides.lanes) for extent in self.extents]
        self.code = IndexCode(lambda op: rewriter.insert(op, self.point))
        self.lower = self.code.one_of(arith.MaxSIOp, lower_bounds(op))

    def split(self) -> loop.ForOp | None:
        """Writes a loop of whole vectors in front of the loop, which keeps the iterations left.

        Returns the loop if an iteration may be left; else the loop is erased, and the result None.
        """
        lanes = self.strides.lanes
        whole = all(c % lanes == 0 for extent in self.extents for c in extent.terms.values())
        if not whole and len(self.counts) > 1:
            # The rest begins behind the vectors, whose number is then a value.
            self.counts = [Polynomial.of(self.code.least(self.counts))]
        self._write_vectors()
        if whole or self._write_last_vector():
            self.rewriter.erase(self.op)
            return None
        self._shrink()
        if self._may_begin_earlier():
            self._put_beside_last_vector()
        return self.op

    def _write_last_vector(self) -> bool:
        """Writes what is left as a vector that begins earlier, if several would be left."""
        lanes = self.strides.lanes
        extent = self.extents[0].as_constant() if len(self.extents) == 1 else None
        if extent is None or extent < lanes or shorter_vectors(extent, lanes) < 2:
            return False
        first = self.lower + Polynomial.constant(extent - lanes)
        if (strides := self._strides_from(first)) is None:
            return False
        self._write_vector(first, strides)
        return True

    def _put_beside_last_vector(self) -> None:
        """Puts the loop of what is left beside a vector that begins earlier, if one is before it.

        Whether there is one, and whether something is left, is known when the program runs.
        """
        lanes, rest = self.strides.lanes, self.op
        code = IndexCode(lambda op: self.rewriter.insert(op, InsertPoint.before(rest)))
        extent = code.one_of(arith.MinSIOp, self.extents)
        first = self.lower + extent - Polynomial.constant(lanes)
        if (strides := self._strides_from(first)) is None:
            return
        whole, other = Block(), Block()
        self._write_body(first, whole, strides)
        exprs, values = exprs_of_forms(
            [extent - Polynomial.constant(lanes), extent.mod(lanes) - Polynomial.constant(1)]
        )
        branch = loop.IfOp([Conjunction([], exprs)], values, Region(whole), Region(other))
        self.rewriter.insert(branch, InsertPoint.before(rest))
        rest.detach()
        other.add_op(rest)
        annotate(rest, LoopAnnotationAttr.not_vectorized())

    def _may_begin_earlier(self) -> bool:
        """Whether a vector may be before what is left, as the call knows, often and harmlessly."""
        if self.op.kind.data is not loop.LoopKind.SERIAL or not loop.is_in_loop(self.op):
            return False
        known = (extent.as_constant() for extent in self.extents)
        return all(one is None or one > self.strides.lanes for one in known)

    def _strides_from(self, first: Polynomial) -> LaneStrides | None:
        """The lanes of a vector that begins at `first`, if its iterations may run twice.

        None also if the places of its lanes are not known, and those of the other vectors are.
        """
        references = references_in(self.op)
        strides = LaneStrides(self.op, self.strides.lanes, first)
        indices = [index for one in references for index in one.access.indices]
        is_known = all(
            strides.distances(index) is not None or self.strides.distances(index) is None
            for index in indices
        )
        return strides if is_known and may_run_again(self.op, references, strides) else None

    def _write_vector(self, first: Polynomial, strides: LaneStrides) -> None:
        block = Block()
        self._write_body(first, block, strides)
        for op in tuple(block.ops):
            op.detach()
            self.code.insert(op)

    def _write_vectors(self) -> None:
        count = self.counts[0].as_constant() if len(self.counts) == 1 else None
        if count == 1:
            self._write_vector(self.lower, self.strides)
            return
        block = empty_body(self.op.induction_variable.name_hint)
        first = self.lower + Polynomial({(block.args[0],): self.strides.lanes})
        self._write_body(first, block, self.strides)
        chunks = loop_between([ZERO], self.counts, Region(block), loop.LoopKind.UNROLLED)
        if count is None or count > UNROLLED_VECTORS or instructions(chunks) > MOST_INSTRUCTIONS:
            chunks.kind = _SERIAL
        chunks.location = self.op.location
        chunks.attributes.update(self.op.attributes)
        self.code.insert(chunks)

    def _write_body(self, first: Polynomial, block: Block, strides: LaneStrides) -> None:
        """Writes the iterations from `first` on as lanes."""
        (expr,), values = exprs_of_forms([first])
        place, groups = (expr, values), interleaved_in(self.op, strides)
        writer = LaneWriter(strides, place, block, groups, may_flush=self.may_flush)
        writer.write(self.op.body.block.ops)

    def _shrink(self) -> None:
        """Shortens the loop to the iterations behind the last vector."""
        (count,) = self.counts
        lowers, uppers = [self.lower + count.times(self.strides.lanes)], upper_bounds(self.op)
        known = count.as_constant() is not None
        if not known:
            # A negative extent has a negative number of vectors.
            lowers.append(self.lower)
            annotate(self.op, LoopAnnotationAttr.not_vectorized())
        kind = loop.LoopKind.VECTORIZED if known else loop.LoopKind.SERIAL
        body = self.op.detach_region(self.op.body)
        rest = loop_between(lowers, uppers, body, kind)
        rest.location = self.op.location
        rest.attributes.update(self.op.attributes)
        self.rewriter.replace(self.op, rest)
        self.op = rest


@dataclass
class VectorizeLoop(RewritePattern):
    """A vectorized loop becomes vectors, or serial if no lanes are possible."""

    bytes: int
    may_flush: bool

    @of_kind
    def match_and_rewrite(self, op: loop.ForOp, rewriter: PatternRewriter) -> None:
        left: loop.ForOp | None = op
        private: Sequence[SSAValue] = ()
        while left is not None and left.kind.data is loop.LoopKind.VECTORIZED:
            if self._fold(left, rewriter):
                return
            if left is op:
                left, private = self._with_private_buffers(left)
            strides = lanes_of(left, self.bytes, private)
            if strides is None:
                left.kind = _SERIAL
                rewriter.notify_op_modified(left)
                return
            load_in_front(left)
            left = _Splitter(left, strides, rewriter, self.may_flush).split()

    def _with_private_buffers(self, op: loop.ForOp) -> tuple[loop.ForOp, Sequence[SSAValue]]:
        """The loop with the buffers of its iterations expanded, if it then has lanes."""
        if not any(isinstance(inner, memref.AllocaOp) for inner in op.body.block.ops):
            return op, ()
        before = op.clone()
        private = expand(op, lane_count(op, self.bytes))
        if lanes_of(op, self.bytes, private) is not None:
            return op, private
        Rewriter.replace_op(op, before)
        for buffer in private:
            assert isinstance(buffer.owner, Operation)
            Rewriter.erase_op(buffer.owner)
        return before, ()

    def _fold(self, op: loop.ForOp, rewriter: PatternRewriter) -> bool:
        """Replaces a loop that only folds by a tree of vectors."""
        if loop.FOLDS not in op.attributes:
            return False
        lanes = lane_count(op, self.bytes)
        if lanes < 2:
            return False
        strides = LaneStrides(op, lanes)
        if (fold := fold_of(op, strides)) is None:
            return False
        block = write_fold(op, fold, strides)
        rewriter.inline_block(block, InsertPoint.before(op))
        rewriter.erase(op)
        return True


def _put_unrolled_inside(op: loop.ForOp, bytes: int) -> None:
    """Puts the unrolled loop around a vectorized one inside of it, where lanes then have rows.

    Rows are loaded as vectors and transposed, instead of accessing distant lanes one by one. A loop
    over a few neighbours is written iteration by iteration, so that lanes store these together.
    """
    outer = op.parent_op()
    if not isinstance(outer, loop.ForOp) or outer.kind.data is not loop.LoopKind.UNROLLED:
        return
    lanes = lane_count(op, bytes)
    if lanes < 2:
        return
    strides = LaneStrides(op, lanes)
    has_rows = bool(panels_in(outer, op.body.block, strides))
    neighbours = None if has_rows else stored_neighbours(outer, op, strides)
    if not (has_rows or neighbours) or not can_go_inside(outer, op):
        return
    _interchange(op, outer)
    if neighbours is not None:
        write_copies(outer, neighbours, PatternRewriter(outer))
        settle_constants(op.body.block)


def _interchange(op: loop.ForOp, outer: loop.ForOp) -> None:
    """Puts a loop inside of the vectorized one that is alone in it."""
    body = [*op.body.block.ops]
    for inner in body:
        inner.detach()
    op.detach()
    Rewriter.insert_op(op, InsertPoint.before(outer))
    outer.detach()
    outer.body.block.add_ops(body)
    op.body.block.add_op(outer)


@dataclass(frozen=True)
class VectorizeLoopsPass(ModulePass):
    """Run the iterations of vectorized loops as lanes of vectors.

    A loop of E iterations becomes one over E floordiv L vectors, and what is left. L
    is the number of elements of the widest type that a vector holds, or less if E is.
    What is left is shorter vectors, or a serial loop if only the call knows E; but a whole vector
    that begins earlier, if there is one before it, where that is less and iterations may run twice:
    they store neighbours, each once, and read none of these, and not with streaming stores.
    The stride of an access decides what becomes of it: 0, one scalar for all lanes; 1, one vector;
    up to 4, or as far backwards, lanes shuffled out of the whole vectors that lie between its first
    and its last element. Lanes at other constant distances from the first, as those of
    `A[i floordiv 2]`, are shuffled out of shorter vectors, at most half as many as there are lanes.
    Any other access is one lane after the other, or a gather if the index is computed from data and
    the target's gathers are fast. Accesses such as `A[3 * i]` and `A[3 * i + 1]` share these
    vectors. Stores are such vectors where together they write all elements between; the few
    iterations of an unrolled loop around that store neighbours are written inside for that, if they
    touch no element in common. Where a loop of up to 16 iterations inside of the vectorized one
    runs over contiguous elements, rows are loaded in front of it, or stored behind it, and
    transposed by shuffles; an unrolled loop around is put inside for that, if its iterations touch
    no element in common. Branches that differ between lanes become a choice of values, with loads
    and stores masked.

    A small buffer that the body allocates gets an element for each lane beside the next, in
    front of the loop.

    An inner loop that adds up products of neighbours is a `loop.dot`, if the target has an
    instruction for it.

    A loop with the attribute `loop.folds` folds one vector into another, then lanes of the last
    vector into each other, half as far apart each time, and what is left into the element.

    What all iterations load from a buffer that the loop stores to, and none of its stores changes,
    is loaded in front of it.

    The result is always that of the scalar loop: where two lanes could meet in memory,
    fewer lanes are used, or none; with branches, none instead of less than half.

    Order: after `storage-flatten`, which makes strides visible; before `unroll-loops`.

    Options:
        bytes: the size of a vector; without it, as the target says.
        scalar: make no vectors; vectorized loops become serial.
        flush: subnormal numbers may count as 0: loops that add products of bfloat16 become
            instructions that do so.

    Example: `vectorize-loops{bytes=16}`
    ```mlir
    func.func @scale(%A: memref<64xf32>, %x: memref<1xf32>) {
      %zero = arith.constant 0 : index
      loop.for %i = 0 to 64 vectorized {
        %a = memref.load %A[%i] : memref<64xf32>
        %s = memref.load %x[%zero] : memref<1xf32>
        %b = arith.mulf %a, %s : f32
        memref.store %b, %A[%i] : memref<64xf32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @scale(%A: memref<64xf32>, %x: memref<1xf32>) {
      %zero = arith.constant 0 : index
      loop.for %i = 0 to 16 unrolled {
        %first = affine.apply affine_map<(d0) -> (d0 * 4)> (%i)
        %a = vector.load %A[%first] : memref<64xf32>, vector<4xf32>
        %s = memref.load %x[%zero] : memref<1xf32>
        %all = vector.broadcast %s : f32 to vector<4xf32>
        %b = arith.mulf %a, %all : vector<4xf32>
        vector.store %b, %A[%first] : memref<64xf32>, vector<4xf32>
      }
      func.return
    }
    ```
    Refused: `vectorize-loops{bytes=12}`
    ```mlir
    func.func @nothing() {
      func.return
    }
    ```
    with "a vector of 12 bytes: bytes has to be a power of two"
    """

    name = "vectorize-loops"

    bytes: int | None = None
    scalar: bool = False
    flush: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        bytes = target_of(op).vector_bytes if self.bytes is None else self.bytes
        if bytes < 1 or bytes & (bytes - 1):
            raise PassError(f"a vector of {bytes} bytes: bytes has to be a power of two")
        vectorized = [
            one for one in ops_in(op, loop.ForOp) if one.kind.data is loop.LoopKind.VECTORIZED
        ]
        if self.scalar:
            for one in vectorized:
                one.kind = _SERIAL
            return
        for one in vectorized:
            _put_unrolled_inside(one, bytes)
        # Inner loops first: one that became vectors is no lane of a loop around it.
        rewrite(op, [VectorizeLoop(bytes, self.flush)], regions_first=True)
