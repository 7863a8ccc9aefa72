"""How large index values get, when no size of a call is larger than there can be elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, SSAValue

from teloom.analysis.index import polynomials
from teloom.analysis.index.polynomials import Atom, Polynomial, Quotient
from teloom.dialects.bodies.postorder import operands_of, postorder

LARGEST_SIZE = 2**40
"""No size of a call is larger: then sums, and products with what stands in a program, fit."""

MANY = 2**61
"""Where a count of elements ends: no system has as many bytes."""

_UNKNOWN = 2**63


def most(value: SSAValue) -> int:
    """What `value`, or its negative, is at most; arguments are sizes and counters of loops."""
    found: dict[SSAValue, int] = {}
    for one in postorder([value], operands_of):
        found[one] = min(_most(one, found), _UNKNOWN)
    return found[value]


def _most(value: SSAValue, known: Mapping[SSAValue, int]) -> int:
    op = value.owner
    if isinstance(op, Block):
        return LARGEST_SIZE
    operands = [known[operand] for operand in op.operands]
    match op:
        case arith.ConstantOp() if isinstance(op.value, IntegerAttr):
            return abs(op.value.value.data)
        case arith.AddiOp() | arith.SubiOp():
            return sum(operands)
        case arith.MuliOp():
            return prod(operands)
        case arith.MaxSIOp() | arith.MinSIOp() | arith.DivSIOp() | arith.RemSIOp():
            return max(operands)
        case affine.ApplyOp():
            (form,) = polynomials.of_exprs(op.map.data.results, op.operands)
            return most_of(form, known.__getitem__)
    return _UNKNOWN


def most_of(polynomial: Polynomial, of: Callable[[SSAValue], int] = most) -> int:
    """What a polynomial, or its negative, is at most; `of` says what a value is at most."""
    return sum(
        abs(coefficient) * prod(_most_of_atom(atom, of) for atom in monomial)
        for monomial, coefficient in polynomial.terms.items()
    )


def _most_of_atom(atom: Atom, of: Callable[[SSAValue], int]) -> int:
    if isinstance(atom, Quotient):
        return most_of(atom.dividend, of) // atom.divisor + 1
    return of(atom)
