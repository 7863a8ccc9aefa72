"""Affine expressions as `arith` ops, on scalars or lane by lane on vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from xdsl.dialects import arith, math
from xdsl.dialects.arith import IntegerOverflowAttr, IntegerOverflowFlag
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
)

from teloom.analysis.index.limits import MANY, most_of
from teloom.analysis.index.value_ranges import ValueRanges
from teloom.dialects import loop
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.upstream.arith import constant_op, index_attribute
from teloom.passes.code.index_code import IndexCode

INDEX = IndexType()
EQ, SGE, UGE = 0, 5, 9
"""Predicates of `arith.cmpi`."""

_WRAPPING = frozenset({arith.AddiOp, arith.SubiOp, arith.MuliOp})


@cache
def _overflow(*flags: IntegerOverflowFlag) -> dict[str, Attribute]:
    return {"overflowFlags": IntegerOverflowAttr(flags or "none")}


class AffineCode(IndexCode):
    """Index values by `arith` alone; what is there already is used again.

    `insert` puts an op at the place where its value is wanted, `insert_constant` a
    constant where all code can use it. `type` is `index`, or a vector of it. Where `ranges`
    show that a result does not wrap, its op says so.
    """

    def __init__(
        self,
        insert: Callable[[Operation], object],
        insert_constant: Callable[[Operation], object] | None = None,
        type: Attribute = INDEX,
        ranges: ValueRanges | None = None,
    ):
        super().__init__(insert)
        self.insert_constant = insert_constant or insert
        self.type = type
        self.ranges = ranges
        self._constants: dict[int, SSAValue] = {}
        self._emitted: dict[tuple, SSAValue] = {}

    def inner(self) -> AffineCode:
        """Code in a region inside: it sees what is emitted so far, and is not seen."""
        code = AffineCode(self.insert, self.insert_constant, self.type, self.ranges)
        code._constants = self._constants
        code._emitted = dict(self._emitted)
        return code

    def constant(self, value: int) -> SSAValue:
        found = self._constants.get(value)
        if found is None:
            attribute = index_attribute(value)
            if isinstance(self.type, VectorType):
                attribute = DenseIntOrFPElementsAttr.from_list(self.type, [value])
            op = constant_op(attribute)
            self.insert_constant(op)
            found = self._constants[value] = op.result
        return found

    def binary(self, kind: type[Operation], lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        found = self._emitted.get((kind, lhs, rhs))
        if found is None:
            properties = self._flags(kind, lhs, rhs) if kind in _WRAPPING else {}
            op = kind.create(operands=[lhs, rhs], result_types=[self.type], properties=properties)
            found = self._emitted[kind, lhs, rhs] = self.emit(op)
        return found

    def _flags(
        self, kind: type[Operation], lhs: SSAValue, rhs: SSAValue
    ) -> Mapping[str, Attribute]:
        if self.ranges is None:
            return _overflow()
        return _overflow(*self.ranges.overflow_flags(kind, lhs, rhs))

    def expr(
        self, expr: AffineExpr, values: Sequence[SSAValue], name: str | None = None
    ) -> SSAValue:
        # From the outside in: what an operation needs of its parts depends on which it is.
        match expr:
            case AffineDimExpr():
                return values[expr.position]
            case AffineConstantExpr():
                return self.constant(expr.value)
            case AffineBinaryOpExpr():
                return self._binary_expr(expr, values)
            case _:
                raise ValueError(f"{expr} is not over operands")

    def _binary_expr(self, expr: AffineBinaryOpExpr, operands: Sequence[SSAValue]) -> SSAValue:
        lhs = self.expr(expr.lhs, operands)
        if expr.kind is AffineBinaryOpKind.Add:
            return self._add(lhs, expr.rhs, operands)
        if expr.kind is AffineBinaryOpKind.Mul:
            return self.multiply(lhs, self.expr(expr.rhs, operands))
        assert isinstance(expr.rhs, AffineConstantExpr)
        divisor = expr.rhs.value
        match expr.kind:
            case AffineBinaryOpKind.FloorDiv:
                return self.floordiv(lhs, divisor)
            case AffineBinaryOpKind.Mod:
                return self.mod(lhs, divisor)
            case _:
                # x ceildiv d -> (x + d - 1) floordiv d, as d is positive
                return self.floordiv(self.add(lhs, self.constant(divisor - 1)), divisor)

    def _add(self, lhs: SSAValue, expr: AffineExpr, operands: Sequence[SSAValue]) -> SSAValue:
        match expr:
            case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, term, AffineConstantExpr(-1)):
                return self.binary(arith.SubiOp, lhs, self.expr(term, operands))
            case _:
                return self.add(lhs, self.expr(expr, operands))

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
        whole = self.multiply(quotient, self.constant(divisor))
        return self.binary(arith.SubiOp, value, whole)

    def fold(
        self, kind: type[Operation], exprs: Sequence[AffineExpr], operands: Sequence[SSAValue]
    ) -> SSAValue:
        """All `exprs` combined from left to right, as by `arith.minsi`."""
        return self.joined(kind, [self.expr(expr, operands) for expr in exprs])

    def holds(self, alternatives: Sequence[Conjunction], operands: Sequence[SSAValue]) -> SSAValue:
        """Whether one of the alternatives holds; an i1."""
        return self._combined(
            arith.OrIOp, [self._all_hold(alternative, operands) for alternative in alternatives]
        )

    def _all_hold(self, conjunction: Conjunction, operands: Sequence[SSAValue]) -> SSAValue:
        tests = [self._test(expr, EQ, operands) for expr in conjunction.equalities]
        tests += [self._test(expr, SGE, operands) for expr in conjunction.inequalities]
        return self._combined(arith.AndIOp, tests)

    def _test(self, expr: AffineExpr, predicate: int, operands: Sequence[SSAValue]) -> SSAValue:
        """The comparison of `expr` with 0."""
        test = arith.CmpiOp.create(
            operands=[self.expr(expr, operands), self.constant(0)],
            result_types=[i1],
            properties={"predicate": IntegerAttr(predicate, i64)},
        )
        return self.emit(test)

    def _combined(
        self, kind: type[arith.AndIOp | arith.OrIOp], tests: Sequence[SSAValue]
    ) -> SSAValue:
        result, *others = tests
        for other in others:
            result = self.emit(kind.create(operands=[result, other], result_types=[i1]))
        return result

    def count_of(self, op: loop.ElementCountOp) -> SSAValue:
        """How many elements a buffer has, by arithmetic that does not wrap."""
        # Each is clamped alone: the product of two negative ones would look like a size.
        values = [self._not_negative(extent, op) for extent in op.extents]
        forms = polynomials.of_exprs(op.extents, op.operands_)
        limits = [most_of(form) for form in forms]
        value, limit = values[0], limits[0]
        for other, factor in zip(values[1:], limits[1:], strict=True):
            fits = limit * factor <= MANY
            value = self.multiply(value, other) if fits else self._product(value, other)
            limit = min(limit * factor, MANY)
        return value

    def _not_negative(self, extent: AffineExpr, op: loop.ElementCountOp) -> SSAValue:
        if isinstance(extent, AffineConstantExpr):
            return self.constant(max(0, extent.value))
        return self.largest([self.expr(extent, op.operands_), self.constant(0)])

    def _product(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """The product of two values that are not negative, or `MANY`: then that is no more."""
        value = self.multiply(lhs, rhs)
        # Of b and c bits: less than 2**62 if b + c <= 62, else 2**61 or more.
        in_lhs, in_rhs = (self.emit(math.CountLeadingZerosOp(one)) for one in (lhs, rhs))
        zeros = self.add(in_lhs, in_rhs)
        fits = self.emit(arith.CmpiOp(zeros, self.constant(2 * 64 - 62), UGE))
        return self.emit(arith.SelectOp(fits, value, self.constant(MANY)))
