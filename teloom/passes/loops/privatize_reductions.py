"""Pass `privatize-reductions`: the lanes of a vectorized reduction fold into partial results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, ModuleOp, UnitAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.accesses.lane_counts import largest_extent
from teloom.analysis.accesses.partial_results import PartialResults, partial_results, reduction_in
from teloom.analysis.index.extents import constant_extent, extents, lower_bounds, upper_bounds
from teloom.analysis.index.forms import AffineIndexForms
from teloom.dialects import loop, te
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.constraints import Conjunction
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.target import target_of
from teloom.errors import remark
from teloom.passes.code.index_code import IndexCode
from teloom.passes.expected_level import refuse

INDEX = IndexType()
ZERO = Polynomial.constant(0)

Names = Mapping[SSAValue, SSAValue]
"""The values that copies of loops have in the place of others."""


def _exprs(forms: Sequence[Polynomial], operands: OperandList, names: Names) -> list[AffineExpr]:
    return [polynomials.to_expr(form, lambda v: operands.dim(names.get(v, v))) for form in forms]


def _open(
    block: Block,
    bounds: tuple[Sequence[Polynomial], Sequence[Polynomial]],
    kind: LoopKind,
    like: loop.ForOp,
    names: Names,
) -> Block:
    """Writes a loop to the end of `block`; returns its body."""
    operands = OperandList()
    lowers, uppers = (_exprs(side, operands, names) for side in bounds)
    body = Block(arg_types=[INDEX])
    body.args[0].name_hint = like.induction_variable.name_hint
    op = loop.ForOp(lowers, uppers, operands.values, Region(body), kind)
    op.location = like.location
    block.add_op(op)
    return body


class _Privatizer:
    """Writes the partial results of one reduction: their start, their folding and their end."""

    def __init__(self, found: PartialResults):
        self.found = found
        self.reduce = found.reduce
        self.tensors: list[SSAValue] = []

    def run(self) -> None:
        around, before, behind = self.found.path[0], Block(), Block()
        self._realize(before)
        self._start(before)
        self._end(behind)
        _insert(before, InsertPoint.before(around))
        _insert(behind, InsertPoint.after(around))
        self._put_lanes()

    # Partial results

    def _realize(self, block: Block) -> None:
        extents = [*map(largest_extent, self.found.data), self.found.count]
        box = [(AffineExpr.constant(0), AffineExpr.constant(extent or 0)) for extent in extents]
        for value, tensor in zip(self.reduce.values, self.reduce.tensors, strict=True):
            name = f"{tensor.name_hint or 'reduction'}.lanes"
            op = loop.RealizeOp(name, box, [], value.type)
            op.location = self.reduce.location
            op.tensor.name_hint = f"{tensor.name_hint or 'reduction'}_lanes"
            block.add_op(op)
            self.tensors.append(op.tensor)

    def _place(self, lane: Polynomial, names: Names) -> tuple[list[AffineExpr], Sequence[SSAValue]]:
        """The subscripts of a partial result, in an iteration of the loops over data."""
        forms = [
            Polynomial.of(op.induction_variable) - lower_bounds(op)[0] for op in self.found.data
        ]
        operands = OperandList()
        return _exprs([*forms, lane], operands, names), operands.values

    def _start(self, block: Block) -> None:
        """All are the identity."""
        names: dict[SSAValue, SSAValue] = {}
        for op in self.found.outer:
            block = self._copy(op, block, names)
        assert self.reduce.identity is not None
        lanes = self._lanes(block, self.found.count)
        for value, tensor in zip(self.reduce.identity, self.tensors, strict=True):
            assert isinstance(value, IntegerAttr | FloatAttr)
            constant = arith.ConstantOp(value)
            place = self._place(Polynomial.of(lanes.args[0]), names)
            lanes.add_ops([constant, loop.InitOp(constant.result, tensor, *place)])

    def _end(self, block: Block) -> None:
        """All are folded into the element."""
        names: dict[SSAValue, SSAValue] = {}
        for op in self.found.outer:
            block = self._copy(op, block, names)
        lanes = self._lanes(block, self.found.count)
        around = lanes.parent_op()
        assert around is not None
        around.attributes[loop.FOLDS] = UnitAttr()
        place = self._place(Polynomial.of(lanes.args[0]), names)
        loads = [loop.LoadOp(tensor, *place) for tensor in self.tensors]
        operands, reduce = OperandList(), self.reduce
        forms = AffineIndexForms().of_exprs(reduce.subscripts, reduce.operands_)
        subscripts = _exprs(forms, operands, names)
        fold = loop.ReduceOp(
            [load.value for load in loads],
            reduce.tensors,
            subscripts,
            operands.values,
            reduce.combine.clone(),
            reduce.identity,
        )
        fold.location = reduce.location
        lanes.add_ops([*loads, fold])

    def _copy(
        self, op: loop.ForOp | loop.IfOp, block: Block, names: dict[SSAValue, SSAValue]
    ) -> Block:
        """Writes the same loop, or the same branch, and returns the block in it."""
        if isinstance(op, loop.ForOp):
            bounds = lower_bounds(op), upper_bounds(op)
            body = _open(block, bounds, op.kind.data, op, names)
            names[op.induction_variable] = body.args[0]
            return body
        body, operands, forms = Block(), OperandList(), AffineIndexForms()
        alternatives = [
            Conjunction(
                *(_exprs(forms.of_exprs(part, op.operands_), operands, names) for part in one)
            )
            for one in op.alternatives
        ]
        block.add_op(loop.IfOp(alternatives, operands.values, Region(body)))
        return body

    def _lanes(self, block: Block, count: int) -> Block:
        bounds = [ZERO], [Polynomial.constant(count)]
        body = _open(block, bounds, LoopKind.VECTORIZED, self.found.vectorized, {})
        body.args[0].name_hint = "lane"
        return body

    # The iterations of the vectorized loop

    def _put_lanes(self) -> None:
        """Puts loops over lanes in the place of the vectorized loop."""
        op, lanes, count = self.found.vectorized, self.found.lanes, self.found.count
        block = Block()
        code = IndexCode(block.add_op)
        lower = code.one_of(arith.MaxSIOp, lower_bounds(op))
        length = self._length(code)
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
            rest = _open(block, (begins, upper_bounds(op)), LoopKind.SERIAL, op, {})
            self._copy_body(rest, rest.args[0])
        _insert(block, InsertPoint.before(op))
        Rewriter.erase_op(op)

    def _groups(
        self, block: Block, code: IndexCode, lower: Polynomial, length: Polynomial
    ) -> tuple[Polynomial, Polynomial]:
        """Writes the steps in which a lane folds several iterations; returns what they leave."""
        count, group = self.found.count, self.found.group
        if group == 1:
            return lower, length
        steps = length.floordiv(count * group)
        if steps.as_constant() is None:
            steps = code.one_of(arith.MaxSIOp, [steps, ZERO])
        self._steps(block, lower, ([ZERO], [steps]), count, group)
        done = steps.times(count * group)
        return lower + done, length - done

    def _length(self, code: IndexCode) -> Polynomial:
        extent = constant_extent(self.found.vectorized)
        if extent is not None:
            return Polynomial.constant(extent)
        known = extents(self.found.vectorized)
        return known[0] if len(known) == 1 else Polynomial.of(code.least(known))

    def _steps(
        self,
        block: Block,
        lower: Polynomial,
        bounds: tuple[Sequence[Polynomial], Sequence[Polynomial]],
        count: int,
        group: int = 1,
    ) -> None:
        """Writes a loop of which each step is `group` iterations for each of so many lanes."""
        number = bounds[1][0].as_constant()
        if number == 1:
            self._iterations(block, lower, count, group)
        elif number != 0:
            body = _open(block, bounds, LoopKind.SERIAL, self.found.vectorized, {})
            step = Polynomial({(body.args[0],): count * group})
            self._iterations(body, lower + step, count, group)

    def _iterations(self, block: Block, first: Polynomial, count: int, group: int = 1) -> None:
        """Writes a loop over `count` lanes, which fold the iterations from `first` on."""
        body = inner = self._lanes(block, count)
        lane = Polynomial.of(body.args[0])
        iteration = first + lane.times(group)
        if group > 1:
            ends = [ZERO], [Polynomial.constant(group)]
            inner = _open(body, ends, LoopKind.UNROLLED, self.found.vectorized, {})
            iteration += Polynomial.of(inner.args[0])
        names = self._copy_body(inner, IndexCode(inner.add_op).of(iteration))
        (reduce,) = (op for op in preorder(body) if isinstance(op, loop.ReduceOp))
        place = self._place(lane, names)
        combine = reduce.detach_region(reduce.combine)
        partial = loop.ReduceOp(reduce.values, self.tensors, *place, combine, reduce.identity)
        partial.location = reduce.location
        Rewriter.replace_op(reduce, partial)

    def _copy_body(self, block: Block, iteration: SSAValue) -> Names:
        """Writes what the vectorized loop does in an iteration."""
        op = self.found.vectorized
        names: dict[SSAValue, SSAValue] = {op.induction_variable: iteration}
        block.add_ops([inner.clone(names) for inner in op.body.block.ops])
        return names


def _insert(block: Block, point: InsertPoint) -> None:
    """Moves the ops of `block` there."""
    ops = [*block.ops]
    for op in ops:
        op.detach()
    Rewriter.insert_op(ops, point)


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
    number is constant, else into the element itself, one after the other.

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

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refuse(op, (te.FuncOp,), "te-to-loops")
        target = target_of(op)
        vectorized = [
            inner
            for inner in preorder(op)
            if isinstance(inner, loop.ForOp) and inner.kind.data is LoopKind.VECTORIZED
        ]
        # Inner loops first: copies are made of what is in an outer one.
        for inner in reversed(vectorized):
            if (reduce := reduction_in(inner)) is None:
                continue
            if (found := partial_results(inner, reduce, target)) is not None:
                _Privatizer(found).run()
            elif largest_extent(inner) not in (0, 1):
                _say_serial(inner, reduce)


def _say_serial(op: loop.ForOp, reduce: loop.ReduceOp) -> None:
    op.kind = loop.LoopKindAttr(LoopKind.SERIAL)
    axis = op.induction_variable.name_hint or "<unnamed>"
    why = (
        f"its {reduce.name} says no identity, from which partial results start"
        if reduce.identity is None
        else "registers do not hold a partial result per lane for all elements that a lane folds "
        "into; reorder its loop inside of those over data axes, or split these"
    )
    remark(f"axis {axis} is not vectorized: {why}", reduce)
