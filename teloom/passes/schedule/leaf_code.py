"""Code in the body of an equation over leaf axes: the old root axes, and whether they are there."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.stages.leaf_domains import LeafDomain
from teloom.analysis.stages.relations.meanings import meaning_of
from teloom.dialects import te
from teloom.dialects.affine import operands as affine
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.operands import exprs_of_forms
from teloom.dialects.affine.polynomials import Polynomial, of_exprs
from teloom.passes.code.index_code import IndexCode, NaturalCode
from teloom.passes.nests.equation_body import AffineValue

_DIM = AffineExpr.dimension(0)


class LeafCode(IndexCode):
    """Writes what a domain says at a point of its leaves, whose coordinates are `places`."""

    def __init__(
        self, domain: LeafDomain, places: Mapping[SSAValue, AffineValue], builder: Builder
    ):
        super().__init__(builder.insert)
        self.domain, self.known = domain, dict(places)
        arithmetic = _Arithmetic(self, {})
        for axis, relation in domain.opaque:
            distance = meaning_of(relation).position(relation, axis, arithmetic)
            assert distance is not None
            (start,) = of_exprs([domain.starts[axis]], domain.around)
            (expr,), values = exprs_of_forms([start + distance])
            self.known[axis] = expr, values

    def place(self, axis: SSAValue) -> AffineValue:
        """The coordinate of an axis."""
        values = self.domain.values
        map, operands = affine.substitute([self.domain.exprs[axis]], values, self.known)
        return map.data.results[0], operands

    def condition(self) -> SSAValue | None:
        """Whether the point is one of the root axes; None if every point is."""
        tests = [
            self.joined(arith.OrIOp, map(self._conjunction, alternatives))
            for alternatives in self.domain.conditions
        ]
        return self.joined(arith.AndIOp, tests) if tests else None

    def _conjunction(self, conjunction: Conjunction) -> SSAValue:
        zero = self.constant(0)
        tests: list[SSAValue] = []
        for predicate, exprs in zip(("eq", "sge"), conjunction, strict=True):
            map, operands = affine.substitute(exprs, self.domain.values, self.known)
            values = (self.expr(expr, operands) for expr in map.data.results)
            tests += [self.emit(arith.CmpiOp(value, zero, predicate)) for value in values]
        return self.joined(arith.AndIOp, tests)

    def promise(self, builder: Builder) -> None:
        """Promises that axes which no expression gives are inside of their bounds.

        That holds where the condition does, which is where all further code goes.
        """
        self.insert = builder.insert
        for axis, _ in self.domain.opaque:
            start, extent = self.domain.starts[axis], self.domain.extents[axis]
            bounds = affine.pack([start, start + extent], self.domain.around)
            value = self.expr(*self.place(axis))
            self.known[axis] = _DIM, [self.emit(te.BoundedOp(value, *bounds))]


class _Arithmetic(NaturalCode):
    """Writes the index arithmetic of a relation."""

    code: LeafCode

    def of_axis(self, axis: SSAValue) -> Polynomial:
        expr, values = self.code.place(axis)
        return of_exprs([expr], values)[0]

    def extent(self, axis: SSAValue, parts: int = 1) -> Polynomial:
        domain = self.code.domain
        return of_exprs([domain.extents[axis].ceil_div(parts)], domain.around)[0]

    def divisor(self, axis: SSAValue, made: SSAValue) -> Polynomial:
        return self.or_one(self.extent(axis))
