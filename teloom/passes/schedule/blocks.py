"""The inner loops of a stage as the code of an extern, which sees its tensors as buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.builder import Builder
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    MemRefType,
    StridedLayoutAttr,
    TensorType,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from teloom.analysis.stages.queries import Read, box_of, is_reduce, name_of
from teloom.dialects import schedule, te
from teloom.dialects.affine.operands import OperandList, exprs_of_forms
from teloom.dialects.affine.polynomials import Polynomial, of_exprs, to_expr
from teloom.dialects.bodies.extern import ExternParts
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.bodies.preorder import ops_in, preorder
from teloom.dialects.loop import LoopKind
from teloom.dialects.syntax.stage_header import scalar_type, shape_in_type
from teloom.errors import ScheduleError
from teloom.passes.code.index_code import IndexCode
from teloom.passes.code.loop_code import empty_body, loop_between
from teloom.passes.nests.equation_body import AffineValue, EquationBody

INDEX = IndexType()


class Leaf(NamedTuple):
    """A loop of a stage: its range, over sizes."""

    axis: SSAValue
    kind: LoopKind
    lower: Polynomial
    extent: Polynomial


class TensorBlock(NamedTuple):
    """Where a block begins in a tensor, and how far it reaches: polynomials per axis."""

    begins: list[Polynomial]
    extents: list[Polynomial]


class BlockCode:
    """Writes the regions of an extern that does what the inner loops of a stage do.

    `values` are the root axes over leaves and sizes.
    """

    def __init__(
        self,
        stage: schedule.StageOp,
        outer: Sequence[SSAValue],
        inner: Sequence[Leaf],
        values: Sequence[Polynomial],
        command: Operation,
    ):
        self.stage, self.outer, self.inner, self.command = stage, outer, inner, command
        self.values = dict(zip(stage.equation.body.block.args, values, strict=True))

    def parts(self) -> ExternParts:
        """The shapes of what a block fills, and its regions."""
        around = [axis for axis in self.outer if is_reduce(axis)]
        body, init = _Region(self, self.outer), None
        if self.stage.equation.is_reduction and not around:
            body.reset()
        body.compute()
        if around:
            first = _Region(self, [axis for axis in self.outer if not is_reduce(axis)])
            first.reset()
            init = Region(first.block)
        box, sizes = box_of(self.stage.tensors[0])
        extents = [extent for _, extent in box]
        shapes = [extents for _ in self.stage.tensors]
        return ExternParts.of(shapes, sizes, Region(body.block), init)

    def box(self, subscripts: Sequence[Polynomial]) -> TensorBlock:
        """The elements that a block touches, by subscripts over the axes of the equation."""
        forms = [self.over_leaves(form) for form in subscripts]
        return (
            TensorBlock(*map(list, zip(*map(self._side, forms), strict=True)))
            if forms
            else TensorBlock([], [])
        )

    def over_leaves(self, form: Polynomial) -> Polynomial:
        """A form over leaves, in the place of the axes of the equation."""
        for argument, value in self.values.items():
            form = form.substitute(argument, value)
        return form

    def _side(self, form: Polynomial) -> tuple[Polynomial, Polynomial]:
        """The least value of a form in a block, and the number of positions from there on."""
        begin, extent = form, Polynomial.constant(1)
        for leaf in self.inner:
            step = form.factor_of(leaf.axis)
            if step is None:
                raise ScheduleError(
                    f'cannot make a block of "{name_of(self.stage)}": a subscript is no sum of '
                    f"multiples of {schedule.axis_name(leaf.axis)}",
                    self.command,
                )
            least = leaf.lower
            if step < 0:
                least = leaf.lower + leaf.extent + Polynomial.constant(-1)
            begin = begin.substitute(leaf.axis, least)
            extent = extent + (leaf.extent + Polynomial.constant(-1)).times(abs(step))
        return begin, extent


class _Region:
    """One region of the extern: loops over buffers, at a point of the axes around."""

    def __init__(self, code: BlockCode, outer: Sequence[SSAValue]):
        self.code, self.stage = code, code.stage
        types = [tensor.type for tensor in self.stage.tensors]
        self.block = Block(arg_types=[*[INDEX for _ in outer], *types])
        for argument, axis in zip(self.block.args, outer, strict=False):
            argument.name_hint = axis.name_hint
        self.here: dict[SSAValue, SSAValue] = dict(zip(outer, self.block.args, strict=False))
        self.builder = Builder(InsertPoint.at_end(self.block))
        axes = self.stage.equation.body.block.args[: self.stage.data_axis_count]
        filled = code.box([Polynomial.of(axis) for axis in axes])
        self.filled = filled.begins
        results = self.block.args[len(outer) :]
        for result, tensor in zip(results, self.stage.tensors, strict=True):
            result.name_hint = tensor.name_hint
        self.outputs = [self._buffer(tensor, filled) for tensor in results]

    def reset(self) -> None:
        """Fills the results with the identity."""
        leaves = [leaf for leaf in self.code.inner if not is_reduce(leaf.axis)]
        inside = self._loops(leaves)
        identity = self.stage.equation.identity
        assert identity is not None
        values = [inside.insert(arith.ConstantOp(one)).result for one in identity]  # pyright: ignore
        self._store(values, inside)

    def compute(self) -> None:
        """Fills the results, or combines what they hold."""
        equation = self.stage.equation
        reads = ops_in(equation.body, te.ReadOp)
        boxes = {op: self._read_box(op) for op in reads}
        buffers = {op: self._buffer(op.tensor, box) for op, box in boxes.items()}

        def read(
            op: Read, map: AffineMapAttr, operands: Sequence[SSAValue], builder: Builder
        ) -> SSAValue:
            assert isinstance(op, te.ReadOp)
            at = of_exprs(map.data.results, operands)
            indices = [
                self._index(one - self._moved(begin), builder)
                for one, begin in zip(at, boxes[op].begins, strict=True)
            ]
            return builder.insert(memref.LoadOp.get(buffers[op], indices)).res

        inside = self._loops(self.code.inner)
        axes = {one: self._affine(form) for one, form in self.code.values.items()}
        values = EquationBody(axes, read).copy(equation.body.block, inside)
        if equation.is_reduction:
            values = self._combined(values, inside)
        self._store(values, inside)

    def _combined(self, values: Sequence[SSAValue], inside: Builder) -> list[SSAValue]:
        combine = self.stage.equation.combine.block
        indices = self._filled_at(inside)
        old = [inside.insert(memref.LoadOp.get(one, indices)).res for one in self.outputs]
        copier = EquationBody({}, _no_read)
        copier.values.update(zip(combine.args, [*old, *values], strict=True))
        return copier.copy(combine, inside)

    def _store(self, values: Sequence[SSAValue], inside: Builder) -> None:
        indices = self._filled_at(inside)
        for value, buffer in zip(values, self.outputs, strict=True):
            inside.insert(memref.StoreOp.get(value, buffer, indices))

    def _filled_at(self, inside: Builder) -> list[SSAValue]:
        """The indices of the element that the loops are at, in the buffers of results."""
        roots = [*self.code.values.values()]
        pairs = zip(roots, self.filled, strict=False)
        return [self._index(self._moved(root - begin), inside) for root, begin in pairs]

    def _read_box(self, op: te.ReadOp) -> TensorBlock:
        known = {*self.stage.equation.body.block.args, *self.stage.sizes}
        for operand in op.operands_:
            if operand not in known:
                reason = (
                    "depends on data"
                    if _depends_on_data(operand)
                    else "is no sum of multiples of its axes"
                )
                raise ScheduleError(
                    f'cannot make a block of "{name_of(self.stage)}": a subscript of '
                    f"{op.tensor.name_hint or 'a tensor'} {reason}",
                    self.code.command,
                )
        return self.code.box(of_exprs(op.map.data.results, op.operands_))

    def _loops(self, leaves: Sequence[Leaf]) -> Builder:
        """Opens loops over leaves."""
        builder = self.builder
        for leaf in leaves:
            body = empty_body(leaf.axis.name_hint)
            end = leaf.lower + leaf.extent
            op = loop_between([leaf.lower], [end], Region(body), leaf.kind)
            op.location = self.stage.location
            builder.insert(op)
            self.here[leaf.axis] = body.args[0]
            builder = Builder(InsertPoint.at_end(body))
        return builder

    def _buffer(self, tensor: SSAValue, box: TensorBlock) -> SSAValue:
        operands = OperandList()
        sides = [
            (to_expr(self._moved(begin), operands.dim), to_expr(extent, operands.dim))
            for begin, extent in zip(box.begins, box.extents, strict=True)
        ]
        assert isinstance(tensor.type, TensorType)
        shape = shape_in_type([extent for _, extent in sides])
        layout = StridedLayoutAttr([None] * len(shape), None)
        type = MemRefType(scalar_type(tensor.type), shape, layout)
        op = te.BufferOp(tensor, sides, operands.values, type)
        op.location = self.stage.location
        return self.builder.insert(op).buffer

    def _moved(self, form: Polynomial) -> Polynomial:
        """A form over leaves as one over the values here."""
        for leaf, value in self.here.items():
            form = form.substitute(leaf, Polynomial.of(value))
        return form

    def _affine(self, form: Polynomial) -> AffineValue:
        (expr,), values = exprs_of_forms([self._moved(form)])
        return expr, values

    def _index(self, form: Polynomial, builder: Builder) -> SSAValue:
        return IndexCode(builder.insert).of(form)


def _depends_on_data(value: SSAValue) -> bool:
    """Whether an element is read for a value."""

    def behind(one: SSAValue) -> list[SSAValue]:
        return [operand for op in _ops_of(one) for operand in op.operands]

    found = postorder([value], behind)
    return any(isinstance(op, te.ReadOp) for one in found for op in _ops_of(one))


def _ops_of(value: SSAValue) -> list[Operation]:
    """The op that gives a value, and those in its regions."""
    return [*preorder(value.owner)] if isinstance(value.owner, Operation) else []


def _no_read(*_: object) -> SSAValue:
    raise AssertionError("a combination reads nothing")
