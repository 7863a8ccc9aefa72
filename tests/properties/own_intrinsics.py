"""For loops of a scheduled stage an intrinsic that computes just what they do, in loops of its own.

So `tensorize` can be drawn for any stage; its numbers have to stay the same.
"""

from __future__ import annotations

from itertools import count

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    MemRefType,
    StridedLayoutAttr,
    TensorType,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from teloom.analysis.index.forms import AffineIndexForms
from teloom.analysis.intrinsics.equations import Differs
from teloom.analysis.intrinsics.tiles import TileLoops
from teloom.dialects import loop, te
from teloom.dialects import schedule as dialect
from teloom.dialects.affine.polynomials import Polynomial, to_expr
from teloom.dialects.bodies.equation import EquationParts
from teloom.dialects.bodies.extern import ExternParts
from teloom.dialects.syntax.stage_header import AxisBounds, scalar_type
from teloom.errors import PassError
from teloom.frontend.schedule.applied import applied
from teloom.passes.code.index_code import IndexCode
from teloom.passes.loops.infer_bounds import InferBoundsPass

INDEX = IndexType()
MOST_POINTS = 200


def tensorize_by_itself(s, tensor, axis) -> None:
    """Tensorizes an axis of a stage by what its loops compute, where that is a tile."""
    user = s[tensor]
    try:
        found = applied(s)
        module = found.func.parent_op()
        assert module is not None
        InferBoundsPass().apply(Context(), module)  # pyright: ignore
        leaf = {one: leaf for leaf, one in found.axes.items()}[axis]
        stage = found.stages[user.name]
        if stage.extern is not None or leaf not in stage.order.axes:
            return
        op = _Own(stage, leaf).intrinsic(f"own{next(_NUMBERS)}")
    except (PassError, Differs, KeyError):
        return
    if op is not None:
        s.module.body.block.insert_op_before(op, s.sequence)
        s.append(dialect.TensorizeOp(user.axis_handle(axis), op.sym_name.data))


_NUMBERS = count()


class _Own:
    """The intrinsic of a tile of a stage."""

    def __init__(self, stage: dialect.StageOp, leaf: SSAValue):
        self.stage = stage
        self.loops = TileLoops(stage, leaf)
        data = stage.data_axis_count
        varying = self.loops.varying
        self.data = [*range(min((at for at in varying if at < data), default=data), data)]
        self.reduces = [at for at in varying if at >= data]
        self.roots = [*self.data, *self.reduces]
        self.extents = [self._extent(at) for at in self.roots]
        # A reduction whose reduce axes are all around folds one term in a tile.
        self.folded = [1] if stage.equation.is_reduction and not self.reduces else []

    def _extent(self, root: int) -> int:
        extent = 1
        for leaf in self.loops.steps[root]:
            lower, upper = self.loops.bounds(leaf)
            found = [(end - start).as_constant() for end in upper for start in lower]
            extent *= min((one for one in found if one is not None), default=0)
        return extent

    def intrinsic(self, name: str) -> te.IntrinsicOp | None:
        """None for a tile without points, or with many; and for what is no plain equation."""
        equation = self.stage.equation
        points = 1
        for extent in self.extents:
            points *= extent
        ops = list(equation.body.block.ops)
        axes = set(equation.body.block.args)
        plain = all(
            isinstance(op, te.ReadOp) or not (op.regions or axes.intersection(op.operands))
            for op in ops
        )
        if not plain or not 0 < points <= MOST_POINTS:
            return None
        self.block = Block()
        self.reads: dict[te.ReadOp, tuple[SSAValue, list[Polynomial]]] = {}
        for op in ops:
            if isinstance(op, te.ReadOp) and not self._add_input(op):
                return None
        builder = Builder(InsertPoint.at_end(self.block))
        builder.insert(self._equation())
        reduces = equation.is_reduction
        for form in te.Form:
            if reduces or form is te.Form.BODY:
                builder.insert(self._code(form))
        return te.IntrinsicOp(name, Region(self.block))

    def _add_input(self, read: te.ReadOp) -> bool:
        """An input for a read: the box of what the tile reads, without leading axes of one."""
        axes = [self.stage.equation.body.block.args[at] for at in self.roots]
        extents = dict(zip(axes, self.extents, strict=True))
        shape: list[int] = []
        subscripts: list[Polynomial] = []
        forms = AffineIndexForms().of_exprs(read.map.data.results, read.operands_)
        for form in forms:
            steps = {axis: form.terms.get((axis,), 0) for axis in axes}
            rest = Polynomial({m: c for m, c in form.terms.items() if not {*m} & {*axes}})
            if any(axis in rest.atoms() for axis in axes):
                return False
            least = sum(min(0, step * (extents[axis] - 1)) for axis, step in steps.items())
            most = sum(max(0, step * (extents[axis] - 1)) for axis, step in steps.items())
            terms = {(axis,): step for axis, step in steps.items() if step}
            shape.append(most - least + 1)
            subscripts.append(Polynomial(terms) + Polynomial.constant(-least))
        first = next((at for at, extent in enumerate(shape) if extent > 1), len(shape))
        assert isinstance(read.tensor.type, TensorType)
        type = TensorType(read.tensor.type.element_type, shape[first:])
        self.reads[read] = self.block.insert_arg(type, len(self.block.args)), subscripts[first:]
        return True

    def _result_types(self) -> list[TensorType]:
        count = len(self.data)
        return [
            TensorType(one.type.element_type, self.extents[:count])  # pyright: ignore
            for one in self.stage.tensors
        ]

    def _equation(self) -> te.ComputeOp:
        equation = self.stage.equation
        extents = [*self.extents, *self.folded]
        body = Block(arg_types=[INDEX] * len(extents))
        at = {
            equation.body.block.args[root]: arg
            for root, arg in zip(self.roots, body.args, strict=False)
        }

        def read(op: te.ReadOp, builder: Builder) -> SSAValue:
            tensor, subscripts = self.reads[op]
            exprs, operands = _over(subscripts, at)
            map = AffineMapAttr(AffineMap(len(operands), 0, exprs))
            return builder.insert(te.ReadOp(tensor, map, operands)).value

        values = self._copied(read, Builder(InsertPoint.at_end(body)))
        body.add_op(te.YieldOp(values))
        parts = EquationParts(
            Region(body),
            equation.combine.clone() if equation.is_reduction else Region(),
            equation.identity,
            Region(),
        )
        bounds = [(AffineExpr.constant(0), AffineExpr.constant(extent)) for extent in extents]
        return te.ComputeOp(
            "z", AxisBounds.of(bounds, []), len(self.data), parts, self._result_types()
        )

    def _copied(self, read, builder: Builder) -> list[SSAValue]:
        """The values of the equation; `read` makes those of its reads."""
        known: dict[SSAValue, SSAValue] = {}
        for op in self.stage.equation.body.block.ops:
            if isinstance(op, te.ReadOp):
                known[op.value] = read(op, builder)
            elif isinstance(op, te.YieldOp):
                return [known[one] for one in op.operands]
            else:
                builder.insert(op.clone(known))
        raise AssertionError

    def _code(self, form: te.Form) -> te.ExternOp:
        types = self._result_types()
        block = Block(arg_types=types)
        builder = Builder(InsertPoint.at_end(block))
        inputs = (
            {tensor: self._buffer(tensor, builder) for tensor in self.block.args}
            if form is not te.Form.RESET
            else {}
        )
        outputs = [self._buffer(tensor, builder) for tensor in block.args]
        if form is not te.Form.UPDATE and self.stage.equation.is_reduction:
            inside, point = _loops(self.extents[: len(self.data)], builder)
            for constant, buffer in zip(self.stage.equation.identity, outputs, strict=True):  # pyright: ignore
                value = inside.insert(arith.ConstantOp(constant)).result
                inside.insert(memref.StoreOp.get(value, buffer, point))
        if form is not te.Form.RESET:
            self._compute(inputs, outputs, builder)
        shapes = [[AffineExpr.constant(e) for e in type.get_shape()] for type in types]
        return te.ExternOp(form, ExternParts.of(shapes, [], Region(block)), types)

    def _compute(self, inputs, outputs: list[SSAValue], builder: Builder) -> None:
        equation = self.stage.equation
        inside, point = _loops(self.extents, builder)
        at = {
            equation.body.block.args[root]: one for root, one in zip(self.roots, point, strict=True)
        }

        def read(op: te.ReadOp, builder: Builder) -> SSAValue:
            tensor, subscripts = self.reads[op]
            indices = [self._index(one, at, builder) for one in subscripts]
            return builder.insert(memref.LoadOp.get(inputs[tensor], indices)).res

        values = self._copied(read, inside)
        where = point[: len(self.data)]
        if equation.is_reduction:
            old = [inside.insert(memref.LoadOp.get(one, where)).res for one in outputs]
            known = dict(zip(equation.combine.block.args, [*old, *values], strict=True))
            for op in equation.combine.block.ops:
                if isinstance(op, te.YieldOp):
                    values = [known.get(one, one) for one in op.operands]
                else:
                    inside.insert(op.clone(known))
        for value, buffer in zip(values, outputs, strict=True):
            inside.insert(memref.StoreOp.get(value, buffer, where))

    def _index(self, form: Polynomial, at, builder: Builder) -> SSAValue:
        (expr,), operands = _over([form], at)
        return IndexCode(builder.insert).expr(expr, operands)

    def _buffer(self, tensor: SSAValue, builder: Builder) -> SSAValue:
        assert isinstance(tensor.type, TensorType)
        shape = tensor.type.get_shape()
        layout = StridedLayoutAttr([None] * len(shape), None)
        box = [(AffineExpr.constant(0), AffineExpr.constant(extent)) for extent in shape]
        type = MemRefType(scalar_type(tensor.type), shape, layout)
        return builder.insert(te.BufferOp(tensor, box, [], type)).buffer


def _over(forms: list[Polynomial], at) -> tuple[tuple[AffineExpr, ...], list[SSAValue]]:
    """Expressions over the values that axes are."""
    axes = list(at)
    exprs = [to_expr(form, lambda one: AffineExpr.dimension(axes.index(one))) for form in forms]
    return tuple(exprs), [at[axis] for axis in axes]


def _loops(extents: list[int], builder: Builder) -> tuple[Builder, list[SSAValue]]:
    """Loops of these extents, and their counters."""
    point: list[SSAValue] = []
    for extent in extents:
        body = Block(arg_types=[INDEX])
        zero, end = AffineExpr.constant(0), AffineExpr.constant(extent)
        builder.insert(loop.ForOp([zero], [end], [], Region(body)))
        builder = Builder(InsertPoint.at_end(body))
        point.append(body.args[0])
    return builder, point
