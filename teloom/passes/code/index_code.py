"""Code of index values: the one writer of what polynomials and affine expressions say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from teloom.analysis.index.extents import constant_extent, extents
from teloom.dialects import loop
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.operands import exprs_of_forms, pack_forms
from teloom.dialects.affine.polynomials import Polynomial
from teloom.dialects.loop.counts import factors
from teloom.dialects.upstream.arith import constant_index

INDEX = IndexType()


def inserting_before(op: Operation) -> Callable[[Operation], None]:
    """Puts ops in front of `op`, one behind the other."""

    def insert(new: Operation) -> None:
        assert op.parent is not None
        op.parent.insert_op_before(new, op)

    return insert


class IndexCode:
    """Writes index values; `insert` puts an op where its value is wanted."""

    def __init__(self, insert: Callable[[Operation], object]):
        self.insert = insert

    @staticmethod
    def before(op: Operation) -> IndexCode:
        """Code in front of `op`."""
        return IndexCode(inserting_before(op))

    def emit(self, op: Operation) -> SSAValue:
        """Puts an op that makes one value there."""
        self.insert(op)
        return op.results[0]

    def constant(self, value: int) -> SSAValue:
        return self.emit(constant_index(value))

    def binary(self, kind: type[Operation], lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """The result of `kind`, an op of `arith` on two integers."""
        return self.emit(kind(lhs, rhs))  # pyright: ignore

    def add(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.binary(arith.AddiOp, lhs, rhs)

    def multiply(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.binary(arith.MuliOp, lhs, rhs)

    def parts(self, extent: SSAValue, number: SSAValue) -> SSAValue:
        """The extent of each of so many parts of one that is not negative.

        The number is at least 1, which the call checks; here it must not divide by 0 before that.
        """
        divisor = self.largest([number, self.constant(1)])
        more = self.add(extent, self.binary(arith.SubiOp, divisor, self.constant(1)))
        return self.binary(arith.DivSIOp, more, divisor)

    def joined(self, kind: type[Operation], values: Iterable[SSAValue]) -> SSAValue:
        """All values combined from left to right, as by `arith.minsi`."""
        return reduce(lambda lhs, rhs: self.binary(kind, lhs, rhs), [*values])

    def largest(self, values: Iterable[SSAValue]) -> SSAValue:
        return self.joined(arith.MaxSIOp, values)

    def expr(
        self, expr: AffineExpr, values: Sequence[SSAValue], name: str | None = None
    ) -> SSAValue:
        """The value of `expr`, whose dimension k stands for `values[k]`.

        Nothing is emitted where that is one of these; `name` is of what is emitted.
        """
        return self.of(polynomials.of_exprs([expr], values)[0], name)

    def of(self, polynomial: Polynomial, name: str | None = None) -> SSAValue:
        """The value of `polynomial`, in which no two atoms are multiplied.

        Nothing is emitted where that is one of the atoms; `name` is of what is emitted.
        """
        map, operands = pack_forms([polynomial])
        (expr,) = map.data.results
        if isinstance(expr, AffineDimExpr):
            return operands[expr.position]
        if isinstance(expr, AffineConstantExpr):
            value = self.constant(expr.value)
        else:
            value = self.emit(
                affine.ApplyOp.create(
                    operands=operands, properties={"map": map}, result_types=[INDEX]
                )
            )
        value.name_hint = name
        return value

    def one_of(self, kind: type[Operation], bounds: Sequence[Polynomial]) -> Polynomial:
        """The only bound, or the value that counts of several."""
        if len(bounds) == 1:
            return bounds[0]
        return Polynomial.of(self.joined(kind, map(self.of, bounds)))

    def least(self, bounds: Iterable[Polynomial]) -> SSAValue:
        """The least of them, by one op."""
        map, values = pack_forms(bounds)
        return self.emit(affine.MinOp(values, map))

    def iterations(self, op: loop.ForOp) -> Polynomial:
        """The number of iterations of `op`; a negative number stands for none."""
        if (constant := constant_extent(op)) is not None:
            return Polynomial.constant(constant)
        return self.smallest(extents(op))

    def smallest(self, bounds: Sequence[Polynomial]) -> Polynomial:
        """The only bound, or the least of several by one op."""
        return bounds[0] if len(bounds) == 1 else Polynomial.of(self.least(bounds))

    def count(self, extents: Iterable[Polynomial]) -> SSAValue:
        """How many elements a buffer of these extents has."""
        exprs, values = exprs_of_forms(extents)
        match counted := factors(exprs):
            case [AffineConstantExpr(value)]:
                return self.constant(value)
            case _:
                return self.emit(loop.ElementCountOp(counted, values))


Emitted = dict[tuple[type[Operation], Polynomial, Polynomial], Polynomial]
"""Values of ops of two operands, by these."""


class NaturalCode:
    """Sums, products and quotients of natural numbers; an op is emitted where one is not affine."""

    def __init__(self, code: IndexCode, emitted: Emitted):
        """Values that are `emitted` are there where the code goes, and are used again."""
        self.code, self._known = code, emitted

    def add(self, lhs: Polynomial, rhs: Polynomial) -> Polynomial:
        return lhs + rhs

    def multiply(self, lhs: Polynomial, rhs: Polynomial) -> Polynomial:
        if lhs.as_constant() is None and rhs.as_constant() is None:
            return self._emitted(arith.MuliOp, lhs, rhs)
        return lhs * rhs

    def divide(self, lhs: Polynomial, rhs: Polynomial) -> Polynomial:
        return self._divided(lhs, rhs, Polynomial.floordiv, arith.DivSIOp)

    def remainder(self, lhs: Polynomial, rhs: Polynomial) -> Polynomial:
        return self._divided(lhs, rhs, Polynomial.mod, arith.RemSIOp)

    def or_one(self, number: Polynomial) -> Polynomial:
        """A number to divide by: 1 instead of 0."""
        constant = number.as_constant()
        if constant is not None:
            return Polynomial.constant(max(1, constant))
        return self._emitted(arith.MaxSIOp, number, Polynomial.constant(1))

    def _divided(
        self,
        lhs: Polynomial,
        rhs: Polynomial,
        by_constant: Callable[[Polynomial, int], Polynomial],
        kind: type[Operation],
    ) -> Polynomial:
        divisor = rhs.as_constant()
        return by_constant(lhs, divisor) if divisor else self._emitted(kind, lhs, rhs)

    def _emitted(self, kind: type[Operation], lhs: Polynomial, rhs: Polynomial) -> Polynomial:
        known = self._known.get((kind, lhs, rhs))
        if known is None:
            value = self.code.binary(kind, self.code.of(lhs), self.code.of(rhs))
            known = self._known[kind, lhs, rhs] = Polynomial.of(value)
        return known
