"""The values of sizes and axes while the loops of a function are emitted."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.stages.queries import function_around, is_axis_of
from teloom.analysis.stages.relations.meanings import meaning_of
from teloom.dialects import schedule
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.operands import OperandList, exprs_of_forms
from teloom.dialects.affine.polynomials import Polynomial, of_exprs
from teloom.errors import PassError
from teloom.passes.code.index_code import Emitted, IndexCode, NaturalCode
from teloom.passes.nests.equation_body import AffineValue

DIM = AffineExpr.dimension(0)


class AxisValues:
    """The sizes and axes of a function as affine expressions of index values."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, AffineValue] = {}

    def copy(self) -> AxisValues:
        """A copy of the values, to which those of one branch can be added."""
        copied = AxisValues()
        copied._known = {**self._known}
        return copied

    def define(self, axis: SSAValue, expr: AffineExpr, values: Sequence[SSAValue]) -> None:
        """Binds `axis` to `expr` over index values; a later loop of the axis binds it again."""
        self._known[axis] = (expr, values)

    def of(self, axis: SSAValue) -> AffineValue:
        """The value of an axis; raises `PassError` if no loop around this place defines it."""
        if axis not in self._known:
            raise PassError(f"axis {axis.name_hint or 'without a name'} is used outside its loop")
        return self._known[axis]

    def expr(
        self, expr: AffineExpr, values: Sequence[SSAValue], operands: OperandList
    ) -> AffineExpr:
        """Rewrites an expression of the sizes and axes `values` over the values in `operands`."""

        def new_dim(position: int) -> AffineExpr:
            inner_expr, inner = self.of(values[position])
            return replace_dims(inner_expr, lambda k: operands.dim(inner[k]))

        return replace_dims(expr, new_dim)

    def index(self, expr: AffineExpr, values: Sequence[SSAValue], builder: Builder) -> SSAValue:
        """The index value of an expression of the sizes and axes `values`."""
        return IndexCode(builder.insert).of(self.form(expr, values))

    def form(self, expr: AffineExpr, values: Sequence[SSAValue]) -> Polynomial:
        """An expression of the sizes and axes `values` as a polynomial of index values."""
        operands = OperandList()
        affine = self.expr(expr, values, operands)
        return of_exprs([affine], operands.values)[0]


class StageAxes:
    """Defines the consumed axes of one stage on demand, on the path to one body of its nest.

    Leaves are induction variables. A consumed axis is computed from them where it is first
    needed; that definition dominates all loops and branches further in.
    """

    def __init__(self, stage: schedule.StageOp, axes: AxisValues):
        self.stage, self.axes = stage, axes
        self.ranges, self.values = stage.ranges, stage.values
        self._defined: set[SSAValue] = set(stage.order.axes)
        self.emitted: Emitted = {}

    def copy(self) -> StageAxes:
        """A copy for another path: a definition on one path does not dominate the other."""
        copied = StageAxes(self.stage, self.axes)
        copied._defined |= self._defined
        copied.emitted |= self.emitted
        return copied

    def owns(self, value: SSAValue) -> bool:
        """Whether a value is an axis of this stage; those of enclosing stages are defined."""
        return is_axis_of(value, self.stage)

    def of(self, axes: Sequence[SSAValue], builder: Builder) -> list[AffineValue]:
        """`axes` as expressions of index values."""
        for axis in axes:
            self.define(axis, builder)
        return [self.axes.of(axis) for axis in axes]

    def of_operands(self, op: Operation, builder: Builder) -> None:
        """Defines the axes of this stage that an op uses."""
        self.of([axis for axis in op.operands if self.owns(axis)], builder)

    def define(self, axis: SSAValue, builder: Builder) -> None:
        """Defines an axis in terms of the open loops."""
        if axis in self._defined:
            return
        self._defined.add(axis)
        value = self.values.get(axis)
        if value is None:
            self._define_index(axis, builder)
            return
        for operand in value.operands_:
            if self.owns(operand):
                self.define(operand, builder)
        operands = OperandList()
        expr = self.axes.expr(value.map.data.results[0], value.operands_, operands)
        self.axes.define(axis, expr, operands.values)

    def _define_index(self, axis: SSAValue, builder: Builder) -> None:
        """Defines an axis whose value is not affine.

        Its relation multiplies or divides by extents that are symbolic. So the value is computed
        from the other axes of the relation.
        """
        (relation,) = schedule.consumers_of(axis)
        assert isinstance(relation, schedule.RelationOp)
        for made in relation.results:
            self.define(made, builder)
        distance = meaning_of(relation).position(relation, axis, _RelationCode(self, builder))
        if distance is None:
            raise _without_value(axis)
        start, _ = self._range(axis)
        form = self.axes.form(start, self.ranges[axis].operands_) + distance
        (expr,), values = exprs_of_forms([form])
        self.axes.define(axis, expr, values)

    def extent(self, axis: SSAValue, parts: int, builder: Builder) -> Polynomial:
        """The extent of a consumed axis, or of one of its `parts`."""
        lower, upper = self._range(axis)
        extent = self.axes.form(upper + lower * -1, self.ranges[axis].operands_)
        if not isinstance(parts, schedule.SizeNumber):
            return extent.ceildiv(parts)
        code = IndexCode(builder.insert)
        return Polynomial.of(code.parts(code.of(extent), code.of(self.size(parts.expr))))

    def size(self, expr: AffineExpr) -> Polynomial:
        """An expression of sizes of the function."""
        return self.axes.form(expr, function_around(self.stage).sizes)

    def _range(self, axis: SSAValue) -> tuple[AffineExpr, AffineExpr]:
        """The start and the end of a consumed axis."""
        if axis not in self.ranges:
            raise PassError(f"axis {axis.name_hint or 'without a name'} has no schedule.range")
        range_op = self.ranges[axis]
        return range_op.lower.data.results[0], range_op.upper.data.results[0]


class _RelationCode(NaturalCode):
    """Writes the index arithmetic of a relation."""

    def __init__(self, axes: StageAxes, builder: Builder):
        super().__init__(IndexCode(builder.insert), axes.emitted)
        self.axes, self.builder = axes, builder

    def of_axis(self, axis: SSAValue) -> Polynomial:
        return self.axes.axes.form(DIM, [axis])

    def extent(self, axis: SSAValue, parts: int = 1) -> Polynomial:
        return self.axes.extent(axis, parts, self.builder)

    def size(self, expr: AffineExpr) -> Polynomial:
        return self.axes.size(expr)

    def divisor(self, axis: SSAValue, made: SSAValue) -> Polynomial:
        extent = self.extent(axis)
        if made in self.axes.stage.order.axes:
            return extent
        # An extent of 0 may be left to a guard further in: the loops run, and must not divide by 0.
        return self.or_one(extent)


def _without_value(axis: SSAValue) -> PassError:
    name = schedule.axis_name(axis)
    return PassError(
        f"axis {name} has no schedule.value; run infer-bounds first", axis.owner.parent_op()
    )
