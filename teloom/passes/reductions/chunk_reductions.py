"""Pass `chunk-reductions`: chunks of a parallel loop's iterations fold into partial results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.accesses.lane_counts import largest_extent
from teloom.analysis.accesses.partial_results import (
    reductions_in,
    results_of_chunks,
)
from teloom.analysis.index.extents import lower_bounds
from teloom.analysis.loops.independence import conflict_between_iterations
from teloom.analysis.loops.whole_results import (
    MOST_BYTES,
    WholeResults,
    reductions_by_data,
    whole_results,
)
from teloom.dialects import loop, te
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.loop import LoopKind, LoopKindAttr
from teloom.passes.code.index_code import IndexCode
from teloom.passes.expected_level import refuse
from teloom.passes.reductions.partial_code import (
    Names,
    PartialCode,
    PartialTensors,
    Place,
    make_serial,
    move_to,
    open_loop,
    reduction_of,
)

ZERO, ONE = Polynomial.constant(0), Polynomial.constant(1)

_NO_PLACE = "it is not known which elements its iterations fold into, or how many"


_NO_WHOLE = (
    "data says which elements its iterations fold into, and partial results of all elements are "
    f"too many, more than {MOST_BYTES} bytes, or of no constant number"
)


class _Chunks(PartialCode):
    """Writes the partial results that each chunk of a parallel loop has for one reduction in it."""

    suffix = "chunks"
    number_first = True

    def realize_in(self, block: Block) -> None:
        """Writes their storage."""
        code = IndexCode(block.add_op)
        self.realize(block, [self._extent(op, code) for op in self.found.data])

    def _extent(self, op: loop.ForOp, code: IndexCode) -> Polynomial:
        if (most := largest_extent(op)) is not None:
            return Polynomial.constant(most)
        return code.smallest(self.found.largest_extents(op))

    def start(self, block: Block, chunk: SSAValue) -> None:
        """Writes code that sets the partial results of a chunk to the identity."""
        names: Names = {}
        for op in self.found.outer:
            block = self.copy(op, block, names)
        self.set_to_identity(block, self.place(Polynomial.of(chunk), names))

    def end(self, block: Block) -> None:
        """Writes code that folds the partial results of all chunks into the elements, in order.

        The loop over chunks is the last but one: rows are added to a row.
        """
        names: Names = {}
        outer = self.found.outer
        last = self.found.data[-1] if self.found.data else None
        chunk: SSAValue | None = None
        for op in outer:
            if op is last:
                block = self._open_chunks(block)
                chunk = block.args[0]
            block = self.copy(op, block, names)
        if chunk is None:
            block = self._open_chunks(block)
            chunk = block.args[0]
        self.write_end(block, chunk, names)

    def _open_chunks(self, block: Block) -> Block:
        return open_chunks(block, LoopKind.SERIAL, self.found.count, self.found.divided)


class _WholeChunks(PartialTensors):
    """Writes partial results of all elements, for a reduction whose elements data chooses."""

    suffix = "chunks"

    def __init__(self, found: WholeResults):
        super().__init__(found.reduce)
        self.found = found

    def realize_in(self, block: Block) -> None:
        """Writes their storage: the box of the elements, once for each chunk."""
        box = [(0, self.found.count), *self.found.box]
        sides = [(AffineExpr.constant(start), AffineExpr.constant(size)) for start, size in box]
        self.realize_box(block, sides, [])

    def start(self, block: Block, chunk: SSAValue) -> None:
        """Writes code that sets the partial results of a chunk to the identity."""
        block, at = self._elements(block)
        self.set_to_identity(block, _subscripts([chunk, *at]))

    def end(self, block: Block) -> None:
        """Writes code that folds the partial results of all chunks into the elements, in order."""
        block, at = self._elements(block)
        body = open_chunks(block, LoopKind.SERIAL, self.found.count, self.found.divided)
        self.fold_into_element(body, _subscripts([body.args[0], *at]), _subscripts(at))

    def place(self, chunk: SSAValue, reduce: loop.ReduceOp) -> Place:
        """The subscripts of the partial result of a chunk for the element of `reduce`."""
        old = [*reduce.operands_]
        return [AffineExpr.dimension(len(old)), *reduce.subscripts], [*old, chunk]

    def _elements(self, block: Block) -> tuple[Block, list[SSAValue]]:
        """Writes loops over all elements; returns the body of the last, and the coordinates."""
        at: list[SSAValue] = []
        for start, extent in self.found.box:
            bounds = [Polynomial.constant(start)], [Polynomial.constant(start + extent)]
            block = open_loop(block, bounds, LoopKind.SERIAL, self.found.divided, {})
            block.args[0].name_hint = f"e{len(at)}"
            at.append(block.args[0])
        return block, at


def _subscripts(values: Sequence[SSAValue]) -> Place:
    """One subscript for each of some values."""
    operands = OperandList()
    return [operands.dim(value) for value in values], operands.values


def open_chunks(block: Block, kind: LoopKind, count: int, like: loop.ForOp) -> Block:
    """Writes a loop over chunks; returns its body."""
    bounds = [ZERO], [Polynomial.constant(count)]
    body = open_loop(block, bounds, kind, like, {})
    body.args[0].name_hint = "chunk"
    return body


def _divide(op: loop.ForOp, parts: Sequence[_Chunks | _WholeChunks]) -> None:
    """Puts a parallel loop over chunks in the place of the parallel loop `op`.

    Threads share the loops behind it, too, if they are more than one.
    """
    before, behind = Block(), Block()
    count = parts[0].found.count
    for part in parts:
        part.realize_in(before)
    code = IndexCode(before.add_op)
    lower, length = code.one_of(arith.MaxSIOp, lower_bounds(op)), code.iterations(op)
    body = open_chunks(before, op.kind.data, count, op)
    chunk = body.args[0]
    for part in parts:
        part.start(body, chunk)
    names = _iterations(op, lower, length, count, body)
    for part in parts:
        reduce = reduction_of(part.reduce.tensors, body)
        if isinstance(part, _WholeChunks):
            place = part.place(chunk, reduce)
        else:
            place = part.place(Polynomial.of(chunk), names)
        part.fold_instead(reduce, place)
        part.end(behind)
    ends = [*behind.ops]
    move_to(before, InsertPoint.before(op))
    move_to(behind, InsertPoint.before(op))
    Rewriter.erase_op(op)
    for end in ends:
        _share(end)


def _share(end: Operation) -> None:
    """Lets threads share an outer loop over data that is independent."""
    if not isinstance(end, loop.ForOp) or end.kind.data is not LoopKind.SERIAL:
        return
    loops = ops_in(end.body, loop.ForOp)
    if len(loops) > 1 and conflict_between_iterations(end) is None:
        end.kind = LoopKindAttr(LoopKind.PARALLEL)


def _iterations(
    op: loop.ForOp, lower: Polynomial, length: Polynomial, count: int, body: Block
) -> Names:
    """Writes the iterations of a chunk, which begins at `chunk * length / count`."""
    code, chunk = IndexCode(body.add_op), Polynomial.of(body.args[0])
    names: Names = {}
    if (extent := length.as_constant()) is not None:
        begin = chunk.times(extent)
    else:
        begin = Polynomial.of(code.multiply(body.args[0], code.of(length)))
    first, last = begin.floordiv(count), (begin + length).floordiv(count)
    if last - first == ONE:
        names[op.induction_variable] = code.of(lower + first)
        inside = body
    else:
        bounds = [lower + first], [lower + last]
        inside = open_loop(body, bounds, LoopKind.SERIAL, op, {})
        names[op.induction_variable] = inside.args[0]
    inside.add_ops([inner.clone(names) for inner in op.body.block.ops])
    return names


@dataclass(frozen=True)
class ChunkReductionsPass(ModulePass):
    """Give each chunk of a parallel reduction a partial result of its own.

    Iterations that fold into one element cannot run at the same time. So the iterations are
    divided into 64 chunks of equal length, or as many as there are iterations if these are fewer.
    Threads share the chunks. Each folds its iterations, one after the other, into partial results,
    from the identity on. Behind the loop the partial results are folded into the elements, in the
    order of the chunks. So results depend on the number of iterations, and on no number of
    threads.

    If data says into which elements they fold, as in a histogram, each chunk has partial results
    of all elements, if these take at most four MiB.

    In loops over data, each iteration has a partial result, whose storage has a dimension per
    loop. If there are two such loops or more, threads share the outermost one behind the loop.

    A loop becomes serial, in all cases but the first with a remark, if
    - it is in a parallel one;
    - its reduction states no identity;
    - it is not known which elements its iterations fold into, or how many, as with loops over data
      that are fused to one of a symbolic extent;
    - data says which elements these are, and partial results of all would take more than four MiB.

    Order: after `build-loops`, which makes the loops; before `partition-loops`, while the
    iterations of a stage are one nest.

    Example: `chunk-reductions`
    ```mlir
    func.func @columns(%n: index, %A: memref<?xf64>, %S: memref<8xf64>) {
      %a = loop.bind %A [0 : %n, 0 : 8] : memref<?xf64>
      %s = loop.bind %S [0 : 8] : memref<8xf64>
      loop.for %k = 0 to %n parallel {
        loop.for %j = 0 to 8 vectorized {
          %v = loop.load %a[%k, %j] : f64
          loop.reduce %v into %s[%j] : f64 combine (%x, %y) identity [0.0 : f64] {
            %z = arith.addf %x, %y : f64
            loop.yield %z : f64
          }
        }
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @columns(%n: index, %A: memref<?xf64>, %S: memref<8xf64>) {
      %a = loop.bind %A [0 : %n, 0 : 8] : memref<?xf64>
      %s = loop.bind %S [0 : 8] : memref<8xf64>
      %chunks = loop.realize "s.chunks" [0 : 64, 0 : 8] : !loop.tensor<2, f64>
      loop.for %chunk = 0 to 64 parallel {
        loop.for %j = 0 to 8 vectorized {
          %zero = arith.constant 0.0 : f64
          loop.init %zero, %chunks[%chunk, %j] : f64
        }
        %begin = arith.muli %chunk, %n : index
        loop.for %k = %begin floordiv 64 to (%begin + %n) floordiv 64 {
          loop.for %j = 0 to 8 vectorized {
            %v = loop.load %a[%k, %j] : f64
            loop.reduce %v into %chunks[%chunk, %j] : f64
                combine (%x, %y) identity [0.0 : f64] {
              %z = arith.addf %x, %y : f64
              loop.yield %z : f64
            }
          }
        }
      }
      loop.for %chunk = 0 to 64 {
        loop.for %j = 0 to 8 vectorized {
          %v = loop.load %chunks[%chunk, %j] : f64
          loop.reduce %v into %s[%j] : f64 combine (%x, %y) identity [0.0 : f64] {
            %z = arith.addf %x, %y : f64
            loop.yield %z : f64
          }
        }
      }
      func.return
    }
    ```
    Refused: `chunk-reductions`
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

    name = "chunk-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "te-to-loops")
        found = ops_in(op, loop.ForOp)
        shared = [
            one
            for one in found
            if one.kind.data.is_parallel and (reductions_in(one) or reductions_by_data(one))
        ]
        # Inner loops first: copies are made of what is in an outer one.
        for inner in reversed(shared):
            _chunk(inner)


def _chunk(op: loop.ForOp) -> None:
    if loop.is_in_parallel(op) or largest_extent(op) in (0, 1):
        op.kind = LoopKindAttr(LoopKind.SERIAL)
        return
    by_data = reductions_by_data(op)
    reductions = [one for one in reductions_in(op) if one not in by_data]
    places = [results_of_chunks(op, reduce) for reduce in reductions]
    if None in places and conflict_between_iterations(op) is not None:
        make_serial(op, reductions[places.index(None)], "parallel", _NO_PLACE)
        return
    # A reduction without a place folds into other elements in each iteration.
    parts: list[_Chunks | _WholeChunks] = [_Chunks(found) for found in places if found]
    for reduce in by_data:
        if (whole := whole_results(op, reduce)) is None:
            make_serial(op, reduce, "parallel", _NO_WHOLE)
            return
        parts.append(_WholeChunks(whole))
    if parts:
        _divide(op, parts)
