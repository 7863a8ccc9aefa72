"""How large index values get, when no size of a call is larger than there can be elements."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.ranges import range_of_counter
from teloom.analysis.index.reading import IndexReader
from teloom.dialects.affine import polynomials
from teloom.dialects.affine.polynomials import Atom, Polynomial, Quotient
from teloom.dialects.loop import counts

LARGEST_SIZE = 2**40
"""No size of a call is larger: then sums, and products with what stands in a program, fit."""

MANY = counts.MANY

_UNKNOWN = 2**63


class _Limits(IndexReader[int]):
    operations = {
        arith.AddiOp: operator.add,
        arith.SubiOp: operator.add,
        arith.MuliOp: operator.mul,
        arith.MaxSIOp: max,
        arith.MinSIOp: max,
        arith.DivSIOp: max,
        arith.RemSIOp: max,
        affine.ApplyOp: lambda limit: limit,
        arith.IndexCastOp: lambda limit: limit,
    }

    def constant(self, number: int) -> int:
        return abs(number)

    def atom(self, value: SSAValue) -> int:
        if isinstance(value.type, IntegerType):
            return 2 ** (value.type.width.data - 1)
        if not isinstance(value, BlockArgument):
            return _UNKNOWN
        counted = range_of_counter(value)
        return LARGEST_SIZE if counted is None else max(map(abs, counted))

    def expr(self, expr: AffineExpr, values: Sequence[SSAValue]) -> int:
        (form,) = polynomials.of_exprs([expr], values)
        return most_of(form, self._known.__getitem__)

    def fits(self, meaning: int) -> bool:
        return meaning < _UNKNOWN


def most(value: SSAValue) -> int:
    """An upper bound of `value`, or of its negative; arguments are sizes and counters of loops."""
    return _Limits().of(value)


def most_of(polynomial: Polynomial, of: Callable[[SSAValue], int] = most) -> int:
    """An upper bound of a polynomial, or of its negative; `of` gives the bounds of values."""
    return sum(
        abs(coefficient) * prod(_most_of_atom(atom, of) for atom in monomial)
        for monomial, coefficient in polynomial.terms.items()
    )


def _most_of_atom(atom: Atom, of: Callable[[SSAValue], int]) -> int:
    if isinstance(atom, Quotient):
        return most_of(atom.dividend, of) // atom.divisor + 1
    return of(atom)
