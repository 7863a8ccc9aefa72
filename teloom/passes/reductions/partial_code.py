"""The code of partial results: storage, initialization, and the fold into the elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from teloom.analysis.accesses.partial_results import PartialResults, is_computed
from teloom.analysis.index.extents import lower_bounds, upper_bounds
from teloom.analysis.index.forms import AffineIndexForms
from teloom.dialects import loop
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.operands import OperandList
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.bodies.preorder import preorder
from teloom.dialects.loop import LoopKind, LoopKindAttr
from teloom.passes.code.loop_code import empty_body
from teloom.remarks import remark

Names = dict[SSAValue, SSAValue]
"""The values that replace others in copies of loops."""

Bounds = tuple[Sequence[Polynomial], Sequence[Polynomial]]
"""Lower and upper bounds: a loop runs from the largest lower bound to the least upper bound."""

Box = Sequence[tuple[AffineExpr, AffineExpr]]
"""The first coordinate and the size of each dimension."""

Place = tuple[Sequence[AffineExpr], Sequence[SSAValue]]
"""Subscripts, and their operands."""


def exprs_of(
    forms: Sequence[Polynomial], operands: OperandList, names: Mapping[SSAValue, SSAValue]
) -> list[AffineExpr]:
    """Polynomials as expressions of `operands`."""
    return [polynomials.to_expr(form, lambda v: operands.dim(names.get(v, v))) for form in forms]


def make_serial(op: loop.ForOp, reduce: loop.ReduceOp, wanted: str, no_place: str) -> None:
    """Makes a loop serial, with a remark why: `reduce` has no identity, or `no_place`."""
    op.kind = LoopKindAttr(LoopKind.SERIAL)
    no_identity = f"its {reduce.name} says no identity, from which partial results start"
    why = no_identity if reduce.identity is None else no_place
    remark(f"axis {op.axis_name} is not {wanted}: {why}", reduce)


def open_loop(
    block: Block,
    bounds: Bounds,
    kind: LoopKind,
    like: loop.ForOp,
    names: Mapping[SSAValue, SSAValue],
) -> Block:
    """Writes a loop to the end of `block`; returns its body."""
    operands = OperandList()
    lowers, uppers = (exprs_of(side, operands, names) for side in bounds)
    body = empty_body(like.induction_variable.name_hint)
    op = loop.ForOp(lowers, uppers, operands.values, Region(body), kind)
    op.location = like.location
    block.add_op(op)
    return body


def move_to(block: Block, point: InsertPoint) -> None:
    """Moves the ops of `block` there."""
    ops = [*block.ops]
    for op in ops:
        op.detach()
    Rewriter.insert_op(ops, point)


class PartialTensors:
    """Writes the code of the partial results of one reduction, which are elements of `tensors`.

    `suffix` ends the names of these tensors.
    """

    suffix: str

    def __init__(self, reduce: loop.ReduceOp):
        self.reduce = reduce
        self.tensors: list[SSAValue] = []

    def realize_box(self, block: Block, box: Box, operands: Sequence[SSAValue]) -> None:
        """Writes their storage."""
        for value, tensor in zip(self.reduce.values, self.reduce.tensors, strict=True):
            name = tensor.name_hint or "reduction"
            op = loop.RealizeOp(f"{name}.{self.suffix}", box, operands, value.type)
            op.location = self.reduce.location
            op.tensor.name_hint = f"{name}_{self.suffix}"
            block.add_op(op)
            self.tensors.append(op.tensor)

    def set_to_identity(self, block: Block, place: Place) -> None:
        """Writes code that sets the partial result at `place` to the identity."""
        assert self.reduce.identity is not None
        for value, tensor in zip(self.reduce.identity, self.tensors, strict=True):
            assert isinstance(value, IntegerAttr | FloatAttr)
            constant = arith.ConstantOp(value)
            block.add_ops([constant, loop.InitOp(constant.result, tensor, *place)])

    def fold_into_element(self, block: Block, place: Place, element: Place) -> None:
        """Writes code that folds the partial result at `place` into an element."""
        loads = [loop.LoadOp(tensor, *place) for tensor in self.tensors]
        values, reduce = [load.value for load in loads], self.reduce
        combine = reduce.combine.clone()
        fold = loop.ReduceOp(values, reduce.tensors, *element, combine, reduce.identity)
        fold.location = reduce.location
        block.add_ops([*loads, fold])

    def fold_instead(self, reduce: loop.ReduceOp, place: Place) -> None:
        """Lets `reduce`, in a copy of the loops, fold into the partial result at `place`."""
        combine = reduce.detach_region(reduce.combine)
        partial = loop.ReduceOp(reduce.values, self.tensors, *place, combine, reduce.identity)
        partial.location = reduce.location
        Rewriter.replace_op(reduce, partial)


class PartialCode(PartialTensors):
    """Writes the partial results that a reduction has in each iteration of the loops over data.

    The tensors have a dimension for each of these loops, and one for the number of the partial
    result, which is the first or the last one.
    """

    number_first: bool

    def __init__(self, found: PartialResults):
        super().__init__(found.reduce)
        self.found = found

    def realize(self, block: Block, extents: Sequence[Polynomial]) -> None:
        """Writes their storage; `extents` are those of the loops over data."""
        count, operands = Polynomial.constant(self.found.count), OperandList()
        sizes = exprs_of(self._ordered(count, extents), operands, {})
        box = [(AffineExpr.constant(0), size) for size in sizes]
        self.realize_box(block, box, operands.values)

    def place(self, number: Polynomial, names: Mapping[SSAValue, SSAValue]) -> Place:
        """The subscripts of a partial result, in an iteration of the loops over data."""
        forms = [
            Polynomial.of(op.induction_variable) - lower_bounds(op)[0] for op in self.found.data
        ]
        operands = OperandList()
        return exprs_of(self._ordered(number, forms), operands, names), operands.values

    def _ordered(self, number: Polynomial, data: Sequence[Polynomial]) -> list[Polynomial]:
        return [number, *data] if self.number_first else [*data, number]

    def write_end(self, block: Block, number: SSAValue, names: Names) -> None:
        """Writes code that folds a partial result into the element."""
        place = self.place(Polynomial.of(number), names)
        forms = AffineIndexForms().of_exprs(self.reduce.subscripts, self.reduce.operands_)
        self._compute(forms, block, names)
        operands = OperandList()
        subscripts = exprs_of(forms, operands, names)
        self.fold_into_element(block, place, (subscripts, operands.values))

    def copy(self, op: loop.ForOp | loop.IfOp, block: Block, names: Names) -> Block:
        """Writes the same loop, or the same branch, and returns the block in it."""
        if isinstance(op, loop.ForOp):
            bounds = lower_bounds(op), upper_bounds(op)
            self._compute([*bounds[0], *bounds[1]], block, names)
            body = open_loop(block, bounds, op.kind.data, op, names)
            names[op.induction_variable] = body.args[0]
            return body
        return self.test(op.alternatives, op.operands_, block, names)

    def test(
        self,
        condition: Iterable[Conjunction],
        values: Sequence[SSAValue],
        block: Block,
        names: Names,
    ) -> Block:
        """Writes a branch on alternatives over `values`, and returns the block in it."""
        body, operands, forms = Block(), OperandList(), AffineIndexForms()
        alternatives: list[Conjunction] = []
        for one in condition:
            parts = [forms.of_exprs(part, values) for part in one]
            self._compute([form for part in parts for form in part], block, names)
            alternatives.append(Conjunction(*(exprs_of(part, operands, names) for part in parts)))
        block.add_op(loop.IfOp(alternatives, operands.values, Region(body)))
        return body

    def _compute(self, forms: Sequence[Polynomial], block: Block, names: Names) -> None:
        """Copies the ops in the path that compute the atoms of the polynomials."""
        values = [value for form in forms for value in form.values()]
        for value in postorder(values, self.found.computed_from):
            if value not in names and self.found.is_inside(value) and is_computed(value):
                assert isinstance(value.owner, Operation)
                block.add_op(copy := value.owner.clone(names))
                names[value] = copy.results[0]


def reduction_of(tensors: Sequence[SSAValue], around: Block) -> loop.ReduceOp:
    """The only reduction into these tensors in `around`."""
    (found,) = (
        op
        for op in preorder(around)
        if isinstance(op, loop.ReduceOp) and [*op.tensors] == [*tensors]
    )
    return found
