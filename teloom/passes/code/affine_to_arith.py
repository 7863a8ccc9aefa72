"""Affine expressions as `arith` ops, on scalars or lane by lane on vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.arith import IntegerOverflowAttr
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from teloom.dialects.affine.constraints import Conjunction

INDEX = IndexType()
EQ, SGE = 0, 5
"""Predicates of `arith.cmpi`."""

_WRAPPING: dict[str, Attribute] = {"overflowFlags": IntegerOverflowAttr("none")}
_PROPERTIES: dict[type[Operation], dict[str, Attribute]] = {
    arith.AddiOp: _WRAPPING,
    arith.SubiOp: _WRAPPING,
    arith.MuliOp: _WRAPPING,
}


class AffineCode:
    """Emits index arithmetic; what is there already is used again.

    `insert` puts an op at the place where its value is wanted, `insert_constant` a
    constant where all code can use it. `type` is `index`, or a vector of it.
    """

    def __init__(
        self,
        insert: Callable[[Operation], object],
        insert_constant: Callable[[Operation], object] | None = None,
        type: Attribute = INDEX,
    ):
        self.insert = insert
        self.insert_constant = insert_constant or insert
        self.type = type
        self._constants: dict[int, SSAValue] = {}
        self._emitted: dict[tuple, SSAValue] = {}

    def inner(self) -> AffineCode:
        """Code in a region inside: it sees what is emitted so far, and is not seen."""
        code = AffineCode(self.insert, self.insert_constant, self.type)
        code._constants = self._constants
        code._emitted = dict(self._emitted)
        return code

    def constant(self, value: int) -> SSAValue:
        found = self._constants.get(value)
        if found is None:
            attribute: Attribute = IntegerAttr(value, INDEX)
            if isinstance(self.type, VectorType):
                attribute = DenseIntOrFPElementsAttr.from_list(self.type, [value])
            op = arith.ConstantOp.create(result_types=[self.type], properties={"value": attribute})
            self.insert_constant(op)
            found = self._constants[value] = op.result
        return found

    def binary(self, kind: type[Operation], lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        found = self._emitted.get((kind, lhs, rhs))
        if found is None:
            op = kind.create(
                operands=[lhs, rhs],
                result_types=[self.type],
                properties=_PROPERTIES.get(kind, {}),
            )
            self.insert(op)
            found = self._emitted[kind, lhs, rhs] = op.results[0]
        return found

    def expr(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> SSAValue:
        """The value of `expr`; symbols follow dimensions in `operands`, if there are any."""
        match expr:
            case AffineDimExpr() | AffineSymExpr():
                return operands[expr.position]
            case AffineConstantExpr():
                return self.constant(expr.value)
            case AffineBinaryOpExpr():
                return self._binary_expr(expr, operands)
            case _:
                raise ValueError(f"{expr} is no affine expression")

    def _binary_expr(self, expr: AffineBinaryOpExpr, operands: Sequence[SSAValue]) -> SSAValue:
        lhs = self.expr(expr.lhs, operands)
        if expr.kind is AffineBinaryOpKind.Add:
            return self._add(lhs, expr.rhs, operands)
        if expr.kind is AffineBinaryOpKind.Mul:
            return self.binary(arith.MuliOp, lhs, self.expr(expr.rhs, operands))
        assert isinstance(expr.rhs, AffineConstantExpr)
        divisor = expr.rhs.value
        match expr.kind:
            case AffineBinaryOpKind.FloorDiv:
                return self.floordiv(lhs, divisor)
            case AffineBinaryOpKind.Mod:
                return self.mod(lhs, divisor)
            case _:
                # x ceildiv d -> (x + d - 1) floordiv d, as d is positive
                raised = self.binary(arith.AddiOp, lhs, self.constant(divisor - 1))
                return self.floordiv(raised, divisor)

    def _add(self, lhs: SSAValue, expr: AffineExpr, operands: Sequence[SSAValue]) -> SSAValue:
        match expr:
            case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, term, AffineConstantExpr(-1)):
                return self.binary(arith.SubiOp, lhs, self.expr(term, operands))
            case _:
                return self.binary(arith.AddiOp, lhs, self.expr(expr, operands))

    def floordiv(self, value: SSAValue, divisor: int) -> SSAValue:
        """The quotient rounded down, for a positive divisor."""
        if divisor & (divisor - 1) == 0:
            # An arithmetic shift rounds down, for negative values too.
            return self.binary(arith.ShRSIOp, value, self.constant(divisor.bit_length() - 1))
        return self.binary(arith.FloorDivSIOp, value, self.constant(divisor))

    def mod(self, value: SSAValue, divisor: int) -> SSAValue:
        """The remainder in [0, divisor), for a positive divisor."""
        if divisor & (divisor - 1) == 0:
            return self.binary(arith.AndIOp, value, self.constant(divisor - 1))
        quotient = self.floordiv(value, divisor)
        whole = self.binary(arith.MuliOp, quotient, self.constant(divisor))
        return self.binary(arith.SubiOp, value, whole)

    def fold(
        self, kind: type[Operation], exprs: Sequence[AffineExpr], operands: Sequence[SSAValue]
    ) -> SSAValue:
        """All `exprs` combined from left to right, as by `arith.minsi`."""
        first, *others = (self.expr(expr, operands) for expr in exprs)
        for other in others:
            first = self.binary(kind, first, other)
        return first

    def holds(self, alternatives: Sequence[Conjunction], operands: Sequence[SSAValue]) -> SSAValue:
        """Whether one of the alternatives holds; an i1."""
        return self._joined(
            arith.OrIOp, [self._all_hold(alternative, operands) for alternative in alternatives]
        )

    def _all_hold(self, conjunction: Conjunction, operands: Sequence[SSAValue]) -> SSAValue:
        tests = [self._test(expr, EQ, operands) for expr in conjunction.equalities]
        tests += [self._test(expr, SGE, operands) for expr in conjunction.inequalities]
        return self._joined(arith.AndIOp, tests)

    def _test(self, expr: AffineExpr, predicate: int, operands: Sequence[SSAValue]) -> SSAValue:
        """The comparison of `expr` with 0."""
        test = arith.CmpiOp.create(
            operands=[self.expr(expr, operands), self.constant(0)],
            result_types=[i1],
            properties={"predicate": IntegerAttr(predicate, i64)},
        )
        self.insert(test)
        return test.result

    def _joined(
        self, kind: type[arith.AndIOp | arith.OrIOp], tests: Sequence[SSAValue]
    ) -> SSAValue:
        result, *others = tests
        for other in others:
            op = kind.create(operands=[result, other], result_types=[i1])
            self.insert(op)
            result = op.results[0]
        return result
