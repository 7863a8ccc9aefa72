"""From expressions to the ops of an equation's regions.

Axes and sizes are `index` values. Expressions that are affine in them stay affine: a subscript is
part of `te.read`, a comparison compares `index` values, and for any other use an `affine.apply` is
cast to the dtype.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeGuard

from xdsl.dialects import affine as affine_dialect
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import FloatAttr, FunctionType, IndexType, IntegerAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from teloom.analysis.dtypes import scalar_type
from teloom.dialects import te
from teloom.dialects.affine import operands as affine
from teloom.dialects.bodies.postorder import postorder
from teloom.dialects.upstream.arith import constant_op
from teloom.errors import Error
from teloom.frontend.emit import scalar_ops
from teloom.frontend.emit.externals import Externals
from teloom.frontend.emit.needed_values import NeededValues, Parts
from teloom.frontend.emit.python_calls import PythonCalls
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.affine_forms import (
    WIDE,
    AffineForms,
    parts_of_position,
    parts_of_value,
)
from teloom.frontend.expr.expressions import (
    Apply,
    Bounded,
    Cast,
    Const,
    Expr,
    IfThenElse,
)
from teloom.frontend.expr.traces import Traced
from teloom.frontend.extern.pure_calls import PureCall
from teloom.frontend.functions.op_calls import OpCall
from teloom.frontend.tensor.tensors import Tensor, TensorSlice

INDEX = IndexType()

_INDEX_OPS = {
    "minimum": arith.MinSIOp,
    "maximum": arith.MaxSIOp,
    "mul": arith.MuliOp,
}


def _is_index_op(expr: Expr) -> TypeGuard[Apply]:
    return isinstance(expr, Apply) and expr.function in _INDEX_OPS and expr.dtype in WIDE


def _is_extreme(expr: Expr) -> bool:
    return _is_index_op(expr) and expr.function != "mul"


def _chooses(expr: Expr) -> bool:
    """Whether it is one of two integers."""
    is_select = isinstance(expr, Apply) and expr.function == "select"
    return (is_select or isinstance(expr, IfThenElse)) and expr.dtype in WIDE


class _WantedExpr(NamedTuple):
    """An expression that is wanted, as a scalar or as a part of a subscript."""

    expr: Expr
    as_position: bool


class LeafValues(NamedTuple):
    """The values of IR that leaves of expressions stand for.

    `positions` are the `index` values of axes and sizes, `scalars` the values of a
    combiner's parameters. `externals` are the functions that traces may call.
    """

    tensors: Mapping[Tensor, SSAValue]
    positions: Mapping[Expr, SSAValue]
    scalars: Mapping[Expr, SSAValue]
    externals: Externals | None = None


class Emitter:
    """Writes the ops that compute expressions to the end of a block, each once.

    An emitter for a block inside another one uses the values that `outer` has computed.
    """

    def __init__(self, block: Block, names: LeafValues, outer: Emitter | None = None):
        self._block = block
        self._names = names
        self._outer = outer
        self._values: dict[Expr, SSAValue] = {}
        self._positions: dict[AffineExpr, SSAValue] = {}
        self._constants: dict[IntegerAttr | FloatAttr, SSAValue] = {}
        self._operands = affine.OperandList() if outer is None else outer._operands
        self._affine = (
            AffineForms(self._axis, parts=parts_of_value) if outer is None else outer._affine
        )
        self._subscripts = AffineForms(self._opaque, self._shortened)
        self._choices: dict[Expr, bool] = {} if outer is None else outer._choices
        self._in_any_case: NeededValues[_WantedExpr] = (
            NeededValues(self._parts) if outer is None else outer._in_any_case
        )

    def inside(self, block: Block) -> Emitter:
        """An emitter of this kind for a block inside of this one's."""
        return Emitter(block, self._names, self)

    @property
    def operands(self) -> Sequence[SSAValue]:
        """The values that the dimensions of affine forms stand for."""
        return self._operands.values

    def forms(self, exprs: Sequence[Expr]) -> list[AffineExpr]:
        """Integers as affine forms; a part that is not affine is computed first."""
        self._find([_WantedExpr(expr, True) for expr in exprs])
        return [self._subscripts.of(expr) for expr in exprs]

    def know(self, expr: Expr, value: SSAValue) -> None:
        """Lets `value` stand for `expr`, which is not computed here."""
        self._values[expr] = value

    def keep(self, name: Expr, expr: Expr) -> None:
        """Makes `name` the value of `expr` from here on."""
        self._values[name] = self.value(expr)

    def value(self, expr: Expr) -> SSAValue:
        """The value of `expr`, as a scalar."""
        self._find([_WantedExpr(expr, False)])
        value = self._known_value(expr)
        assert value is not None
        return value

    def _find(self, wanted: Sequence[_WantedExpr]) -> None:
        """Computes a value, after those that it needs."""
        for expr, as_position in postorder(wanted, self._needed):
            if as_position:
                self._subscripts.of(expr)
            elif self._known_value(expr) is None:
                self._values[expr] = self._value(expr)

    def _needed(self, wanted: _WantedExpr) -> Sequence[_WantedExpr]:
        """The values that `wanted` is computed from; none if it is known already."""
        expr, as_position = wanted
        if as_position:
            return () if self._subscripts.knows(expr) else self._needed_position(expr)
        if self._known_value(expr) is not None or self._affine.of(expr) is not None:
            return ()
        if self._compares_positions(expr):
            return [_WantedExpr(one, True) for one in expr.operands()]
        match expr:
            case IfThenElse():
                return [_WantedExpr(expr.condition, False), *self._of_both_branches(expr)]
            case Apply() | Cast() | Traced() | PureCall() | OpCall():
                return [_WantedExpr(one, False) for one in expr.operands()]
            case Bounded():
                return [_WantedExpr(expr.value, True)]
        return [_WantedExpr(index, True) for index in self._indices_of(expr)]

    def _of_both_branches(self, expr: IfThenElse) -> Sequence[_WantedExpr]:
        """What both branches compute; were it a part of each, a chain of n would be 2^n long."""
        branches = (_WantedExpr(one, False) for one in (expr.then_value, expr.else_value))
        return [one for one in self._in_any_case.by_both(*branches) if self._is_work(one)]

    def _is_work(self, wanted: _WantedExpr) -> bool:
        """Whether it is more than a number or an affine form, which branches write anew."""
        expr = wanted.expr
        return not wanted.as_position and bool(expr.operands()) and self._affine.of(expr) is None

    def _parts(self, wanted: _WantedExpr) -> Parts[_WantedExpr]:
        """The parts of a wanted expression, both branches of one with a condition among them."""
        expr, as_position = wanted
        if not isinstance(expr, IfThenElse) or as_position or self._affine.of(expr) is not None:
            return Parts(self._needed(wanted))
        condition, *branches = (_WantedExpr(one, False) for one in expr.operands())
        return Parts([condition], (branches[0], branches[1]))

    def _needed_position(self, expr: Expr) -> Sequence[_WantedExpr]:
        if self._axis(expr) is not None:
            return ()
        if inner := parts_of_position(expr):
            return [_WantedExpr(one, True) for one in inner]
        if isinstance(expr, Bounded):
            return [_WantedExpr(expr.value, True)]
        if _is_index_op(expr):
            return [_WantedExpr(one, True) for one in expr.operands()]
        if self._is_choice(expr):
            condition, *positions = expr.operands()
            return [_WantedExpr(condition, False), *(_WantedExpr(one, True) for one in positions)]
        return () if isinstance(expr, Const) else [_WantedExpr(expr, False)]

    def _indices_of(self, expr: Expr) -> Sequence[Expr]:
        """The subscripts of a read."""
        return expr.indices if isinstance(expr, TensorSlice) else ()

    def _compares_positions(self, expr: Expr) -> bool:
        if not isinstance(expr, Apply) or not scalar_ops.is_comparison(expr.function):
            return False
        return all(map(self._is_position, expr.arguments))

    def _is_position(self, expr: Expr) -> bool:
        """Whether it is affine, or made of maxima and minima of what is."""
        pending = [expr]
        while pending:
            one = pending.pop()
            if self._affine.of(one) is not None:
                continue
            inner = one.operands() if _is_extreme(one) else parts_of_value(one)
            if not inner:
                return False
            pending += inner
        return True

    def _is_choice(self, expr: Expr) -> bool:
        """Whether it is one of two positions, which may be such choices themselves."""
        if not _chooses(expr):
            return False
        for one in postorder([expr], self._choices_in):
            if one not in self._choices:
                _, *both = one.operands()
                self._choices[one] = all(
                    self._choices.get(each) or self._is_position(each) for each in both
                )
        return self._choices[expr]

    def _choices_in(self, expr: Expr) -> Sequence[Expr]:
        """The choices that are one of the two positions of another, and not looked at yet."""
        _, *both = expr.operands()
        return () if expr in self._choices else [*filter(_chooses, both)]

    def _known_value(self, expr: Expr) -> SSAValue | None:
        if expr in self._values or self._outer is None:
            return self._values.get(expr)
        return self._outer._known_value(expr)

    def _value(self, expr: Expr) -> SSAValue:
        dtype = dtypes.of(expr.dtype)
        form = self._affine.of(expr)
        if isinstance(form, AffineConstantExpr):
            return self._constant(scalar_ops.constant(form.value, expr.dtype))
        if form is not None:
            return self.insert(arith.IndexCastOp(self.position(form), scalar_type(dtype.name)))
        match expr:
            case Const():
                return self._constant(scalar_ops.constant(expr.value, expr.dtype))
            case TensorSlice():
                return self._read(expr)
            case Cast():
                value = self.value(expr.value)
                source = dtypes.of(expr.value.dtype)
                return scalar_ops.convert(value, source, dtype, self.insert)
            case IfThenElse():
                return self._if(expr)
            case Bounded():
                return self.insert(arith.IndexCastOp(self._bounded(expr), scalar_type(dtype.name)))
            case Apply():
                return self._apply(expr)
            case Traced():
                return self._traced(expr)
            case PureCall():
                return self._called(expr)
            case OpCall():
                return self.insert(expr.applied_to([self.value(one) for one in expr.arguments]))
        return self._names.scalars[expr]

    def _apply(self, expr: Apply) -> SSAValue:
        if expr.function == "select":
            return self.insert(arith.SelectOp(*map(self.value, expr.arguments)))
        if expr.function == "reinterpret":
            value = self.value(expr.arguments[0])
            return scalar_ops.reinterpreted(value, dtypes.of(expr.dtype), self.insert)
        dtype = dtypes.of(expr.arguments[0].dtype)
        if self._compares_positions(expr):
            values = [self.position(self._subscripts.of(one)) for one in expr.arguments]
        else:
            values = [self.value(argument) for argument in expr.arguments]
        return scalar_ops.emit(expr.function, dtype, values, self.insert)

    def _called(self, expr: PureCall) -> SSAValue:
        externals, name = self._externals(expr), expr.function
        if not isinstance(name, str):
            name = externals.name(name, expr.name)
        values = [self.value(one) for one in expr.arguments]
        type = FunctionType.from_lists([value.type for value in values], [scalar_type(expr.dtype)])
        externals.declare(name, type)
        return self.insert(func.CallOp(name, values, type.outputs.data))

    def _externals(self, expr: Expr) -> Externals:
        """The functions that code may call; raises `teloom.Error` where it calls none."""
        if self._names.externals is None:
            raise Error(f"{expr} cannot stand here; it may in an equation or an update")
        return self._names.externals

    def _traced(self, expr: Traced) -> SSAValue:
        externals = self._externals(expr)
        values = [self.value(one) for one in expr.values]
        kinds = [dtypes.of(one.dtype) for one in expr.values]
        calls = PythonCalls(externals, self.insert, self.add)
        calls.trace(expr.action, expr.name, values, kinds)
        return values[-1]

    def _if(self, expr: IfThenElse) -> SSAValue:
        condition = self.value(expr.condition)
        type = scalar_type(expr.dtype)
        then_branch, else_branch = self._branch(expr.then_value), self._branch(expr.else_value)
        return self.insert(scf.IfOp(condition, [type], then_branch, else_branch))

    def _branch(self, expr: Expr) -> Region:
        block = Block()
        inner = self.inside(block)
        block.add_op(scf.YieldOp(inner.value(expr)))
        return Region(block)

    def _read(self, expr: TensorSlice) -> SSAValue:
        map, operands = affine.pack(self.forms(expr.indices), self._operands.values)
        return self.insert(te.ReadOp(self._names.tensors[expr.tensor], map, operands))

    def _axis(self, expr: Expr) -> AffineExpr | None:
        """The form of an axis or a size; None for any other expression."""
        value = self._names.positions.get(expr)
        return None if value is None else self._operands.dim(value)

    def _opaque(self, expr: Expr) -> AffineExpr:
        """The form of a part of a subscript: an axis, or a new `index` value for the whole part."""
        axis = self._axis(expr)
        if axis is not None:
            return axis
        return self._operands.dim(self._opaque_position(expr))

    def _shortened(self, form: AffineExpr) -> AffineExpr:
        """The form as one new `index` value, or a constant."""
        if isinstance(form, AffineConstantExpr):
            return form
        return self._operands.dim(self.position(form))

    def _opaque_position(self, expr: Expr) -> SSAValue:
        if isinstance(expr, Bounded):
            return self._bounded(expr)
        if _is_index_op(expr):
            forms = [self._subscripts.of(argument) for argument in expr.arguments]
            return self.insert(_INDEX_OPS[expr.function](*map(self.position, forms)))
        if self._is_choice(expr):
            condition, *positions = expr.operands()
            found = [self.position(self._subscripts.of(one)) for one in positions]
            return self.insert(arith.SelectOp(self.value(condition), *found))
        value = self.value(expr)
        if dtypes.of(expr.dtype).kind == dtypes.UINT and value.type != i64:
            value = self.insert(arith.ExtUIOp(value, i64))
        return self.insert(arith.IndexCastOp(value, INDEX))

    def _bounded(self, expr: Bounded) -> SSAValue:
        bounds: list[AffineExpr] = []
        for bound in (expr.lower, expr.upper):
            form = self._affine.of(bound)
            if form is None:
                raise Error(
                    f"the bounds of {expr} must be affine in axes and sizes, {bound} is not"
                )
            bounds.append(form)
        value = self.position(self._subscripts.of(expr.value))
        map, operands = affine.pack(bounds, self._operands.values)
        return self.insert(te.BoundedOp(value, map, operands))

    def position(self, form: AffineExpr) -> SSAValue:
        """The `index` value of an affine form."""
        known = self._known_position(form)
        if known is None:
            known = self._positions[form] = self._new_position(form)
        return known

    def _known_position(self, form: AffineExpr) -> SSAValue | None:
        if form in self._positions or self._outer is None:
            return self._positions.get(form)
        return self._outer._known_position(form)

    def _new_position(self, form: AffineExpr) -> SSAValue:
        if isinstance(form, AffineDimExpr):
            return self._operands.values[form.position]
        if isinstance(form, AffineConstantExpr):
            return self._constant(IntegerAttr(form.value, INDEX))
        map, operands = affine.pack([form], self._operands.values)
        return self.insert(affine_dialect.ApplyOp(operands, map))

    def _constant(self, value: IntegerAttr | FloatAttr) -> SSAValue:
        known = self._known_constant(value)
        if known is None:
            op = constant_op(value)
            self.add(op)
            known = self._constants[value] = op.result
        return known

    def _known_constant(self, value: IntegerAttr | FloatAttr) -> SSAValue | None:
        if value in self._constants or self._outer is None:
            return self._constants.get(value)
        return self._outer._known_constant(value)

    def insert(self, op: Operation) -> SSAValue:
        """Adds an op, or reuses an equal constant; returns its first result."""
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr | FloatAttr):
            return self._constant(op.value)
        self.add(op)
        return op.results[0]

    def add(self, op: Operation) -> None:
        """Adds an op to the end of the block."""
        self._block.add_op(op)
