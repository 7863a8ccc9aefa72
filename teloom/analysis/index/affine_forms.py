"""Index values as affine expressions of given ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from xdsl.dialects import affine as upstream_affine
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.sets.integer_sets import Constraint
from teloom.dialects.affine.linear_forms import is_small, joined
from teloom.dialects.bodies.postorder import operands_of, postorder


class Piece(NamedTuple):
    """An affine expression that a value equals where constraints hold."""

    when: list[Constraint]
    form: AffineExpr


def affine_form(value: SSAValue, dims: Mapping[SSAValue, int]) -> AffineExpr | None:
    """`value` as an affine expression of `dims`; None if it is not visibly one."""
    pieces = affine_pieces(value, dims, 1)
    return pieces[0].form if pieces else None


def affine_pieces(value: SSAValue, dims: Mapping[SSAValue, int], most: int) -> list[Piece]:
    """`value` as affine expressions of `dims`, one per way in which its maxima and minima fall.

    There are none if it is not visibly that, or takes more than `most`.
    """

    def parts(value: SSAValue) -> Sequence[SSAValue]:
        return operands_of(value) if value not in dims and _is_affine(value) else ()

    found: dict[SSAValue, list[Piece]] = {}
    for one in postorder([value], parts):
        found[one] = _pieces(one, found, dims)
        if len(found[one]) > most:
            found[one] = []
    return found[value]


def _is_affine(value: SSAValue) -> bool:
    # Narrower integers wrap.
    return isinstance(value.owner, _AFFINE | _CHOICE) and isinstance(value.type, IndexType)


def _pieces(
    value: SSAValue, known: Mapping[SSAValue, list[Piece]], dims: Mapping[SSAValue, int]
) -> list[Piece]:
    if value in dims:
        return [Piece([], AffineExpr.dimension(dims[value]))]
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return [Piece([], AffineExpr.constant(owner.value.value.data))]
    if not _is_affine(value):
        return []
    assert isinstance(owner, Operation)
    found: list[Piece] = []
    for parts in product(*(known[operand] for operand in owner.operands)):
        when = [constraint for part in parts for constraint in part.when]
        forms = [part.form for part in parts]
        for piece in _chosen(owner, forms) if isinstance(owner, _CHOICE) else _joined(owner, forms):
            found.append(Piece(list(dict.fromkeys(when + piece.when)), piece.form))
    return found


def unknown_parts(value: SSAValue, dims: Collection[SSAValue]) -> list[SSAValue]:
    """What `value` is made of, by the ops that `affine_pieces` follows, beside `dims`."""
    found: list[SSAValue] = []
    pending, seen = [value], set(dims)
    while pending:
        one = pending.pop()
        if one in seen or _is_constant(one):
            continue
        seen.add(one)
        op = one.owner
        is_product = isinstance(op, arith.MuliOp) and not any(map(_is_constant, op.operands))
        if isinstance(op, _AFFINE | _CHOICE) and isinstance(one.type, IndexType) and not is_product:
            pending += op.operands
        else:
            found.append(one)
    return found


def _is_constant(value: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr)


def _chosen(op: Operation, forms: Sequence[AffineExpr]) -> list[Piece]:
    lhs, rhs = forms
    sign = 1 if isinstance(op, arith.MaxSIOp) else -1
    ahead = (lhs + rhs * -1) * sign
    return [
        Piece([Constraint(ahead, False)], lhs),
        Piece([Constraint(ahead * -1 + -1, False)], rhs),
    ]


def _joined(op: Operation, forms: Sequence[AffineExpr]) -> list[Piece]:
    form = _combined(op, forms)
    if form is None:
        return []
    form = joined(form)
    return [Piece([], form)] if is_small(form) else []


_CHOICE = arith.MaxSIOp | arith.MinSIOp
_AFFINE = upstream_affine.ApplyOp | arith.AddiOp | arith.SubiOp | arith.MuliOp


def _combined(op: Operation, forms: Sequence[AffineExpr]) -> AffineExpr | None:
    match op:
        case upstream_affine.ApplyOp():
            map = op.map.data
            dims, symbols = forms[: map.num_dims], forms[map.num_dims :]
            return map.results[0].replace_dims_and_symbols(dims, symbols)
        case arith.AddiOp():
            return forms[0] + forms[1]
        case arith.SubiOp():
            return forms[0] + forms[1] * -1
        case _:
            constant = any(isinstance(form, AffineConstantExpr) for form in forms)
            return forms[0] * forms[1] if constant else None
