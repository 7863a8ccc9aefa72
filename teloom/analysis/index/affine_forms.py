"""Index values as affine expressions of given ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from xdsl.dialects import affine, arith
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.analysis.index.reading import IndexReader, constant_of
from teloom.analysis.sets.integer_sets import Constraint, at_least, more_than
from teloom.dialects.affine.canonical import canonical
from teloom.dialects.affine.fold import replace_dims
from teloom.dialects.affine.linear_forms import difference, is_small


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
    return _Pieces(dims, most).of(value)


def unknown_parts(value: SSAValue, dims: Collection[SSAValue]) -> list[SSAValue]:
    """The values, without `dims`, that `value` is computed from by ops that are followed."""
    reader = _Pieces({}, 1)
    found: list[SSAValue] = []
    pending, seen = [value], set(dims)
    while pending:
        one = pending.pop()
        if one in seen or constant_of(one) is not None:
            continue
        seen.add(one)
        if reader.reads(one) and not _is_product(one.owner):
            pending += one.owner.operands  # pyright: ignore
        else:
            found.append(one)
    return found


def _is_product(op: object) -> bool:
    """Whether two values that are not constant are multiplied."""
    return isinstance(op, arith.MuliOp) and all(constant_of(one) is None for one in op.operands)


Pieces = list[Piece]


def _each(*parts: Pieces, make: Callable[[Sequence[AffineExpr]], AffineExpr | None]) -> Pieces:
    """The results of `make` on the forms of the parts, for each combination of their pieces."""
    found: Pieces = []
    for chosen in product(*parts):
        form = make([piece.form for piece in chosen])
        # Small before, too: to simplify it is to walk it, and a map over maps is their product.
        if form is None or not is_small(form) or not is_small(form := canonical(form)):
            return []
        found.append(Piece(_all_of(chosen), form))
    return found


def _all_of(pieces: Sequence[Piece], *others: Constraint) -> list[Constraint]:
    when = [constraint for piece in pieces for constraint in piece.when]
    return list(dict.fromkeys([*when, *others]))


def _multiplied(forms: Sequence[AffineExpr]) -> AffineExpr | None:
    lhs, rhs = forms
    return lhs * rhs if any(isinstance(form, AffineConstantExpr) for form in forms) else None


def _larger(lhs: Pieces, rhs: Pieces, sign: int = 1) -> Pieces:
    """The pieces of `lhs` where they are not less, and else those of `rhs`."""
    found: Pieces = []
    for pair in product(lhs, rhs):
        one, other = (piece.form for piece in pair)
        ahead, behind = (one, other) if sign > 0 else (other, one)
        found.append(Piece(_all_of(pair, at_least(ahead, behind)), one))
        found.append(Piece(_all_of(pair, more_than(behind, ahead)), other))
    return found


class _Pieces(IndexReader[Pieces]):
    """No pieces where a value is not visibly affine, or takes more than `most`."""

    operations = {
        arith.AddiOp: partial(_each, make=lambda forms: forms[0] + forms[1]),
        arith.SubiOp: partial(_each, make=lambda forms: difference(*forms)),
        arith.MuliOp: partial(_each, make=_multiplied),
        arith.MaxSIOp: _larger,
        arith.MinSIOp: partial(_larger, sign=-1),
        affine.ApplyOp: lambda pieces: pieces,
    }

    def __init__(self, dims: Mapping[SSAValue, int], most: int):
        super().__init__()
        self._dims, self._most = dims, most

    def given(self, value: SSAValue) -> Pieces | None:
        dim = self._dims.get(value)
        return None if dim is None else [Piece([], AffineExpr.dimension(dim))]

    def constant(self, number: int) -> Pieces:
        return [Piece([], AffineExpr.constant(number))]

    def atom(self, value: SSAValue) -> Pieces:
        return []

    def expr(self, expr: AffineExpr, values: Sequence[SSAValue]) -> Pieces:
        pieces = (self._known[value] for value in values)
        return _each(*pieces, make=lambda forms: replace_dims(expr, forms.__getitem__))

    def fits(self, meaning: Pieces) -> bool:
        return len(meaning) <= self._most
