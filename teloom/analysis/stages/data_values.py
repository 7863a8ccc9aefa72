"""The ranges of values that are computed from data: by promises, clamps and narrow types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.affine_forms import affine_form
from teloom.analysis.sets.integer_sets import Constraint, at_least
from teloom.dialects import te
from teloom.dialects.bodies.postorder import postorder

Interval = tuple[int | float, int | float]
"""The least and the greatest value; infinite if they are not known."""

UNKNOWN = (-inf, inf)


def known_of(
    value: SSAValue, variable: AffineExpr, dims: Mapping[SSAValue, int]
) -> list[Constraint]:
    """The constraints on `value`, for which `variable` stands, at the points of `dims`."""
    found: list[Constraint] = []
    if isinstance(value.owner, te.BoundedOp):
        found += _promised(value.owner, variable, dims)
    least, greatest = interval(value)
    if isinstance(least, int):
        found.append(at_least(variable, AffineExpr.constant(least)))
    if isinstance(greatest, int):
        found.append(at_least(AffineExpr.constant(greatest), variable))
    return found


def _promised(
    op: te.BoundedOp, variable: AffineExpr, dims: Mapping[SSAValue, int]
) -> list[Constraint]:
    """The promised bounds that are affine in `dims`."""
    operands = {k: affine_form(operand, dims) for k, operand in enumerate(op.operands_)}
    known = [form or AffineExpr.constant(0) for form in operands.values()]
    lower, upper = op.map.data.results
    found: list[Constraint] = []
    for bound, sign in ((lower, 1), (upper + -1, -1)):
        if all(operands[dim] is not None for dim in bound.used_dims()):
            distance = variable + bound.replace_dims_and_symbols(known, ()) * -1
            found.append(at_least(distance * sign))
    return found


def interval(value: SSAValue) -> Interval:
    """Constant bounds of an integer, by the ops that compute it."""
    found: dict[SSAValue, Interval] = {}
    for one in postorder([value], _bounding):
        found[one] = _interval(one, found)
    return found[value]


def _bounding(value: SSAValue) -> Sequence[SSAValue]:
    """The values whose bounds decide those of `value`."""
    match op := value.owner:
        case te.BoundedOp():
            return (op.value,)
        case arith.IndexCastOp() | arith.ExtSIOp() | arith.MaxSIOp() | arith.MinSIOp():
            return op.operands
    return ()


def _interval(value: SSAValue, known: Mapping[SSAValue, Interval]) -> Interval:
    match op := value.owner:
        case arith.ConstantOp(value=IntegerAttr() as constant):
            return (constant.value.data, constant.value.data)
        case te.BoundedOp():
            return known[op.value]
        case arith.IndexCastOp() | arith.ExtSIOp():
            return _kept(known[op.input], value)
        case arith.ExtUIOp():
            return _unsigned(op.input)
        case arith.MaxSIOp() | arith.MinSIOp():
            choose = max if isinstance(op, arith.MaxSIOp) else min
            lhs, rhs = known[op.lhs], known[op.rhs]
            return (choose(lhs[0], rhs[0]), choose(lhs[1], rhs[1]))
        case _:
            return _of_type(value)


def _kept(range: Interval, value: SSAValue) -> Interval:
    """The range of the value that was cast to `value`, if the cast keeps all of it."""
    least, greatest = _limits(value)
    return range if least <= range[0] and range[1] <= greatest else _of_type(value)


def _limits(value: SSAValue) -> Interval:
    if not isinstance(value.type, IntegerType):
        return UNKNOWN
    half = 1 << (value.type.width.data - 1)
    return (-half, half - 1)


def _of_type(value: SSAValue) -> Interval:
    least, greatest = _limits(value)
    return (least, greatest) if greatest < LARGE else UNKNOWN


def _unsigned(value: SSAValue) -> Interval:
    assert isinstance(value.type, IntegerType)
    greatest = (1 << value.type.width.data) - 1
    return (0, greatest if greatest < LARGE else inf)


LARGE = 1 << 16
"""A type with numbers from here on is too wide to say anything about a subscript."""
