"""Pass `inject-prefetch`: one prefetch per cache line instead of one per element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.index.extents import constant_extent, extents, lower_bounds, upper_bounds
from teloom.analysis.index.limits import MANY
from teloom.analysis.index.strides import LaneStrides
from teloom.analysis.memory.storage import byte_width
from teloom.dialects import loop, te
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.target import target_of
from teloom.dialects.upstream import memref
from teloom.errors import PassError
from teloom.passes.code.code_motion import only_computes
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_code import loop_between
from teloom.passes.expected_level import refuse

ZERO, ONE = Polynomial.constant(0), Polynomial.constant(1)


def _loops_around(op: memref.PrefetchOp) -> Iterator[loop.ForOp]:
    """The serial loops whose only effect is the prefetch `op`, innermost first."""
    inner: Operation = op
    while isinstance(around := inner.parent_op(), loop.ForOp):
        others = (one for one in around.body.block.ops if one is not inner)
        if around.kind.data is not loop.LoopKind.SERIAL or not all(map(only_computes, others)):
            return
        yield around
        inner = around


def _iterations_per_line(op: memref.PrefetchOp, around: loop.ForOp, line_bytes: int) -> int:
    """The number of iterations in which the address moves by one line at most."""
    strides = [LaneStrides(around, MANY).of(index) for index in op.indices]
    if not strides or strides[-1] is None or any(stride != 0 for stride in strides[:-1]):
        return 1
    assert isinstance(op.memref.type, MemRefType)
    width = byte_width(op.memref.type.element_type, op)
    return line_bytes // max(1, abs(strides[-1]) * width)


def _thin(op: loop.ForOp, step: int) -> None:
    """Keeps the first iteration, every `step`-th from there on, and the last one.

    No line is missed: two kept addresses that follow each other are at most a line apart, so
    every address between them is in the line of one of the two.
    """
    first = IndexCode.before(op).one_of(arith.MaxSIOp, lower_bounds(op))
    body = Block(arg_types=[loop.INDEX])
    places = [first + Polynomial.of(body.args[0]).times(step)]
    places += [upper - ONE for upper in upper_bounds(op)]
    place = IndexCode(body.add_op).least(places)
    Rewriter.inline_block(op.detach_region(op.body).block, InsertPoint.at_end(body), [place])
    thinned = loop_between([ZERO], [*_counts(op, step)], Region(body))
    thinned.location = op.location
    Rewriter.replace_op(op, thinned, [])


def _counts(op: loop.ForOp, step: int) -> Iterator[Polynomial]:
    """Upper bounds of the new loop: their minimum is the number of iterations that are kept."""
    constant = constant_extent(op)
    for extent in extents(op) if constant is None else [Polynomial.constant(constant)]:
        if extent.as_constant() is None:
            yield extent  # the formula below gives 1 for an empty loop
        # 1 + (extent - 1) ceildiv step
        yield (extent + Polynomial.constant(2 * step - 2)).floordiv(step)


@dataclass(frozen=True)
class InjectPrefetchPass(ModulePass):
    """Prefetch one element of each cache line, instead of all elements.

    A loop that only prefetches gets the step of a line, if its stride in memory is constant and
    shorter than a line. It keeps the first and the last element. Other loops stay: those over
    rows, and those over elements that a layout spreads out.

    Order: after `storage-flatten`, which makes addresses; before `double-buffer`, which copies
    loops.

    Options:
        line_bytes: the size of a cache line, in bytes; by default that of the target.

    Example: `inject-prefetch`
    ```mlir
    func.func @row(%A: memref<6400xf32>, %y: index) {
      loop.for %x = 0 to 100 {
        %at = affine.apply affine_map<(d0, d1) -> (d0 * 100 + d1)> (%y, %x)
        memref.prefetch %A[%at], read, locality<3>, data : memref<6400xf32>
      }
      func.return
    }
    ```
    becomes
    ```mlir
    func.func @row(%A: memref<6400xf32>, %y: index) {
      loop.for %line = 0 to 8 {
        %x = affine.min affine_map<(d0) -> (d0 * 16, 99)> (%line)
        %at = affine.apply affine_map<(d0, d1) -> (d0 * 100 + d1)> (%y, %x)
        memref.prefetch %A[%at], read, locality<3>, data : memref<6400xf32>
      }
      func.return
    }
    ```
    Refused: `inject-prefetch{line_bytes=0}`
    ```mlir
    func.func @none() {
      func.return
    }
    ```
    with "a cache line of 0 bytes: it must be at least 1"
    """

    name = "inject-prefetch"

    line_bytes: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp, loop.TensorRegionOp, loop.AccessOp), "storage-flatten")
        line_bytes = target_of(op).line_bytes if self.line_bytes is None else self.line_bytes
        if line_bytes < 1:
            raise PassError(f"a cache line of {line_bytes} bytes: it must be at least 1")
        for prefetch in ops_in(op, memref.PrefetchOp):
            for around in tuple(_loops_around(prefetch)):
                step = _iterations_per_line(prefetch, around, line_bytes)
                if step > 1 and constant_extent(around) != 0:
                    _thin(around, step)
