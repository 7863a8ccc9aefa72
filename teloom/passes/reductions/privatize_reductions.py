"""Pass `privatize-reductions`: the lanes of a vectorized reduction fold into partial results."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.accesses.lane_counts import lane_count, largest_extent
from teloom.analysis.accesses.partial_results import (
    PartialResults,
    folds_under_conditions,
    have_places,
    reductions_in,
    results_of_lanes,
)
from teloom.analysis.index.extents import lower_bounds, upper_bounds
from teloom.analysis.loops.iteration_sets import may_have
from teloom.analysis.loops.unreduced_elements import reduced_where
from teloom.dialects import loop, te
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import ops_in
from teloom.dialects.loop import LoopKind, LoopKindAttr
from teloom.dialects.target import Target, target_of
from teloom.dialects.upstream.llvm import LoopAnnotationAttr, annotate
from teloom.errors import placed
from teloom.passes.code.index_code import IndexCode
from teloom.passes.expected_level import refuse
from teloom.passes.reductions.partial_code import (
    Bounds,
    Names,
    PartialCode,
    make_serial,
    move_to,
    open_loop,
    reduction_of,
)

ZERO = Polynomial.constant(0)

_NO_PLACE = (
    "registers do not hold a partial result per lane for all elements that a lane folds into; "
    "reorder its loop inside of those over data axes, or split these"
)

_CONDITIONS = (
    'its iterations fold under conditions of their own, as in a last tile of tail "predicate" or '
    '"round_up", beside which whole tiles are vectorized; use tail "cut" or "guard"'
)

_USED = "its iterations use what they fold into, or compute which elements these are"


def _why_not(op: loop.ForOp, reduce: loop.ReduceOp, target: Target) -> str:
    """The reason why the lanes of a loop cannot have partial results; None if they can."""
    if folds_under_conditions(op, reduce):
        return _CONDITIONS
    return _USED if have_places(op, reduce, target) else _NO_PLACE


def _privatize(op: loop.ForOp, target: Target, may_flush: bool) -> None:
    """Gives the lanes of a vectorized loop results of their own, or makes it serial."""
    reductions = reductions_in(op)
    if len(reductions) != 1:
        return
    lanes = lane_count(op, target.vector_bytes)
    if not may_have(op, lanes):
        op.kind = LoopKindAttr(LoopKind.SERIAL)
        annotate(op, LoopAnnotationAttr.not_vectorized())
        return
    found = results_of_lanes(op, reductions[0], target, may_flush)
    if found is not None:
        _Lanes(found, lanes).run()
    elif largest_extent(op) not in (0, 1):
        make_serial(op, reductions[0], "vectorized", _why_not(op, reductions[0], target))


class _Lanes(PartialCode):
    """Writes the partial results of a vectorized loop, and replaces the loop by loops over lanes.

    A vector has up to `lanes` iterations.
    """

    suffix = "lanes"
    number_first = False

    def __init__(self, found: PartialResults, lanes: int):
        super().__init__(found)
        self.lanes = lanes

    def run(self) -> None:
        around, before, behind = self.found.path[0], Block(), Block()
        extents = (largest_extent(op) or 0 for op in self.found.data)
        self.realize(before, [*map(Polynomial.constant, extents)])
        self._start(before)
        self._end(behind)
        move_to(before, InsertPoint.before(around))
        move_to(behind, InsertPoint.after(around))
        self._put_lanes()

    def _start(self, block: Block) -> None:
        names: Names = {}
        for op in self.found.outer:
            block = self.copy(op, block, names)
        lanes = self._open_lanes(block, self.found.count)
        self.set_to_identity(lanes, self.place(Polynomial.of(lanes.args[0]), names))

    def _end(self, block: Block) -> None:
        names: Names = {}
        for op in self.found.outer:
            block = self.copy(op, block, names)
        if (where := reduced_where(self.found)) is not None:
            block = self.test(where.alternatives, where.values, block, names)
        lanes = self._open_lanes(block, self.found.count)
        around = lanes.parent_op()
        assert around is not None
        around.attributes[loop.FOLDS] = UnitAttr()
        self.write_end(lanes, lanes.args[0], names)

    def _open_lanes(self, block: Block, count: int) -> Block:
        bounds = [ZERO], [Polynomial.constant(count)]
        body = open_loop(block, bounds, LoopKind.VECTORIZED, self.found.divided, {})
        body.args[0].name_hint = "lane"
        return body

    def _put_lanes(self) -> None:
        """Replaces the vectorized loop by loops over lanes."""
        op, lanes, count = self.found.divided, self.lanes, self.found.count
        block = Block()
        code = IndexCode(block.add_op)
        lower = code.one_of(arith.MaxSIOp, lower_bounds(op))
        length = code.iterations(op)
        lower, length = self._groups(block, code, lower, length)
        steps, vectors = length.floordiv(count), length.floordiv(lanes)
        self._steps(block, lower, ([ZERO], [steps]), count)
        if (extent := length.as_constant()) is not None:
            if extent % count:
                self._iterations(block, lower + steps.times(count), extent % count)
        else:
            if count > lanes:
                # A negative length has a negative number of steps.
                begins = [steps.times(count // lanes), ZERO]
                self._steps(block, lower, (begins, [vectors]), lanes)
            begins = [lower + vectors.times(lanes), lower]
            rest = open_loop(block, (begins, upper_bounds(op)), LoopKind.SERIAL, op, {})
            self._copy_body(rest, rest.args[0])
            if isinstance(around := rest.parent_op(), loop.ForOp):
                annotate(around, LoopAnnotationAttr.not_vectorized())
        move_to(block, InsertPoint.before(op))
        Rewriter.erase_op(op)

    def _groups(
        self, block: Block, code: IndexCode, lower: Polynomial, length: Polynomial
    ) -> tuple[Polynomial, Polynomial]:
        """Writes the steps in which a lane folds a group of iterations; returns what is left."""
        count, group = self.found.count, self.found.group
        if group == 1:
            return lower, length
        steps = length.floordiv(count * group)
        if steps.as_constant() is None:
            steps = code.one_of(arith.MaxSIOp, [steps, ZERO])
        self._steps(block, lower, ([ZERO], [steps]), count, group)
        done = steps.times(count * group)
        return lower + done, length - done

    def _steps(
        self, block: Block, lower: Polynomial, bounds: Bounds, count: int, group: int = 1
    ) -> None:
        """Writes a loop; in each step each of `count` lanes folds `group` iterations."""
        number = bounds[1][0].as_constant()
        if number == 1:
            self._iterations(block, lower, count, group)
        elif number != 0:
            body = open_loop(block, bounds, LoopKind.SERIAL, self.found.divided, {})
            step = Polynomial({(body.args[0],): count * group})
            self._iterations(body, lower + step, count, group)

    def _iterations(self, block: Block, first: Polynomial, count: int, group: int = 1) -> None:
        """Writes a loop over `count` lanes, which fold the iterations from `first` on."""
        body = inner = self._open_lanes(block, count)
        lane = Polynomial.of(body.args[0])
        iteration = first + lane.times(group)
        if group > 1:
            ends = [ZERO], [Polynomial.constant(group)]
            inner = open_loop(body, ends, LoopKind.UNROLLED, self.found.divided, {})
            iteration += Polynomial.of(inner.args[0])
        names = self._copy_body(inner, IndexCode(inner.add_op).of(iteration))
        self.fold_instead(reduction_of(self.reduce.tensors, body), self.place(lane, names))

    def _copy_body(self, block: Block, iteration: SSAValue) -> Names:
        """Writes one iteration of the vectorized loop."""
        op = self.found.divided
        names: Names = {op.induction_variable: iteration}
        block.add_ops([inner.clone(names) for inner in op.body.block.ops])
        return names


@dataclass(frozen=True)
class PrivatizeReductionsPass(ModulePass):
    """Give each lane of a vectorized reduction a partial result of its own.

    Iterations that fold into one element one after the other cannot be lanes. So lane l folds
    iterations l, l + c, l + 2c ... into a partial result, from the identity on. Behind the loop
    the c partial results are folded into the element, by a loop whose attribute `loop.folds` says
    that it does nothing else: `vectorize-loops` folds the upper half of them into the lower half,
    until one is left. c is the number of lanes of a vector, for the widest type in
    the loop, times 4 where the loop is long enough: four independent sums hide that each waits
    for the one before it. Iterations that fill no vector are folded by fewer lanes if their
    number is constant, else into the element itself, one after the other, and LLVM is to make no
    vectors of them; so are all of a loop that never has enough of them for a vector, for all that
    is known where it runs, as behind the whole tiles of a split.

    Products of integers that the target adds up by one instruction are folded so: a lane folds
    as many iterations behind each other as the instruction adds, in a loop of their own.

    In loops over data, each iteration has partial results, and each of these is such a sum. They
    are valid in the outermost loop around that folds into the same elements again, if together
    they take at most twice what the registers hold; if there is no such loop, the axis stays
    serial, with a remark.

    Order: after `build-loops`, which makes the loops; before `storage-flatten`, for which a
    reduction is a load and a store like others. `vectorize-loops` makes the vectors.

    Example: `privatize-reductions`
    ```mlir
    builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<
        "CPU" = #dlti.target_device_spec<"vector_bytes" = 16 : i64>>} {
      func.func @sum(%A: memref<11xf64>, %S: memref<1xf64>) {
        %a = loop.bind %A [0 : 11] : memref<11xf64>
        %s = loop.bind %S [] : memref<1xf64>
        loop.for %k = 0 to 11 vectorized {
          %v = loop.load %a[%k] : f64
          loop.reduce %v into %s[] : f64 combine (%x, %y) identity [0.0 : f64] {
            %z = arith.addf %x, %y : f64
            loop.yield %z : f64
          }
        }
        func.return
      }
    }
    ```
    becomes
    ```mlir
    builtin.module attributes {dlti.target_system_spec = #dlti.target_system_spec<
        "CPU" = #dlti.target_device_spec<"vector_bytes" = 16 : i64>>} {
      func.func @sum(%A: memref<11xf64>, %S: memref<1xf64>) {
        %a = loop.bind %A [0 : 11] : memref<11xf64>
        %s = loop.bind %S [] : memref<1xf64>
        %lanes = loop.realize "s.lanes" [0 : 8] : !loop.tensor<1, f64>
        loop.for %lane = 0 to 8 vectorized {
          %zero = arith.constant 0.0 : f64
          loop.init %zero, %lanes[%lane] : f64
        }
        loop.for %lane = 0 to 8 vectorized {
          %v = loop.load %a[%lane] : f64
          loop.reduce %v into %lanes[%lane] : f64 combine (%x, %y) identity [0.0 : f64] {
            %z = arith.addf %x, %y : f64
            loop.yield %z : f64
          }
        }
        loop.for %lane = 0 to 3 vectorized {
          %k = affine.apply affine_map<(d0) -> (d0 + 8)> (%lane)
          %v = loop.load %a[%k] : f64
          loop.reduce %v into %lanes[%lane] : f64 combine (%x, %y) identity [0.0 : f64] {
            %z = arith.addf %x, %y : f64
            loop.yield %z : f64
          }
        }
        loop.for %lane = 0 to 8 vectorized attributes {loop.folds} {
          %v = loop.load %lanes[%lane] : f64
          loop.reduce %v into %s[] : f64 combine (%x, %y) identity [0.0 : f64] {
            %z = arith.addf %x, %y : f64
            loop.yield %z : f64
          }
        }
        func.return
      }
    }
    ```
    Refused: `privatize-reductions`
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

    name = "privatize-reductions"

    flush: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "te-to-loops")
        target = target_of(op)
        loops = ops_in(op, loop.ForOp)
        vectorized = [inner for inner in loops if inner.kind.data is LoopKind.VECTORIZED]
        # Inner loops first: copies are made of what is in an outer one.
        for inner in reversed(vectorized):
            with placed(inner):
                _privatize(inner, target, self.flush)
