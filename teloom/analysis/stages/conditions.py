"""The conditions of the `scf.if`s around an access, as integer sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from teloom.analysis.index.affine_forms import affine_pieces
from teloom.analysis.sets.conditions import COMPARED
from teloom.analysis.sets.integer_sets import set_of
from teloom.dialects.bodies.around import ops_around
from teloom.dialects.bodies.postorder import postorder

MOST_PIECES = 64
"""Pieces of the set of points at which a condition holds; with more, nothing is known of it."""


class Condition(NamedTuple):
    """The points at which a condition may hold; `exact` if it holds at all of them."""

    points: isl.Set
    exact: bool


def when_reached(
    access: Operation, dims: Mapping[SSAValue, int], domain: isl.BasicSet
) -> Condition:
    """The points of `domain` at which an access may happen."""
    points, exact = domain.to_set(), True
    for asked, holds in conditions_around(access):
        when = condition(asked, dims, domain)
        exact = exact and when.exact
        if holds:
            points = points.intersect(when.points)
        elif when.exact:
            points = points.subtract(when.points)
    return Condition(points, exact)


def conditions_around(access: Operation) -> Iterator[tuple[SSAValue, bool]]:
    """The conditions of the branches around an access, and whether it is where they hold."""
    for around in ops_around(access):
        if isinstance(around, scf.IfOp):
            yield around.cond, around.true_region.is_ancestor(access)


def condition(value: SSAValue, dims: Mapping[SSAValue, int], domain: isl.BasicSet) -> Condition:
    """The points of `domain` at which an `i1` value may be true."""
    found: dict[SSAValue, Condition] = {}
    for one in postorder([value], _decided_by):
        found[one] = _simple(_condition(one, found, dims, domain), domain)
    return found[value]


def _simple(found: Condition, domain: isl.BasicSet) -> Condition:
    """The condition, or that nothing is known of it: sets of many pieces take very long."""
    if found.points.n_basic_set() <= MOST_PIECES:
        return found
    return Condition(domain.to_set(), False)


def _decided_by(value: SSAValue) -> Sequence[SSAValue]:
    """The conditions from which an `i1` value is made."""
    match op := value.owner:
        case arith.AndIOp() | arith.OrIOp() | arith.XOrIOp():
            return op.operands
    return ()


def _condition(
    value: SSAValue,
    known: Mapping[SSAValue, Condition],
    dims: Mapping[SSAValue, int],
    domain: isl.BasicSet,
) -> Condition:
    everything = domain.to_set()
    owner = value.owner
    match owner:
        case arith.CmpiOp():
            return _comparison(owner, dims, domain)
        case arith.AndIOp() | arith.OrIOp():
            lhs, rhs = known[owner.lhs], known[owner.rhs]
            exact = lhs.exact and rhs.exact
            if isinstance(owner, arith.AndIOp):
                return Condition(lhs.points.intersect(rhs.points), exact)
            return Condition(lhs.points.union(rhs.points).coalesce(), exact)
        case arith.XOrIOp():
            operand = _negated_operand(owner)
            if operand is not None and known[operand].exact:
                return Condition(everything.subtract(known[operand].points), True)
        case arith.ConstantOp():
            if isinstance(owner.value, IntegerAttr):
                if owner.value.value.data:
                    return Condition(everything, True)
                return Condition(everything.subtract(everything), True)
    return Condition(everything, False)


def _negated_operand(op: arith.XOrIOp) -> SSAValue | None:
    """The value that `op` negates, if it is an exclusive or with true."""
    for operand, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        constant = other.owner
        if (
            isinstance(constant, arith.ConstantOp)
            and isinstance(constant.value, IntegerAttr)
            and constant.value.type == IntegerType(1)
            and constant.value.value.data
        ):
            return operand
    return None


def _comparison(op: arith.CmpiOp, dims: Mapping[SSAValue, int], domain: isl.BasicSet) -> Condition:
    sides = (affine_pieces(side, dims, MOST_PIECES) for side in op.operands)
    compared = COMPARED.get(arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data])
    ways = list(product(*sides))
    if not 0 < len(ways) <= MOST_PIECES or compared is None:
        return Condition(domain.to_set(), False)
    count = domain.dim(isl.dim_type.set)
    points = isl.Set.empty(domain.get_space())
    for lhs, rhs in ways:
        for alternative in compared(lhs.form, rhs.form):
            held = set_of(domain.get_ctx(), count, [*lhs.when, *rhs.when, *alternative])
            points = points.union(held.intersect(domain).to_set())
    return Condition(points if len(ways) == 1 else points.coalesce(), True)
