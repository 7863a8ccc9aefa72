"""Affine expressions as sums: coefficients of dimensions and of divisions.

xDSL walks an expression as a tree, by recursion: `e + e`, forty times, is a tree of 2^40 parts.
So expressions that a program makes are kept small: like terms are joined, and one that stays
too large is no affine expression, but a value that is computed by parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

_ADD, _MUL = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul

MOST_PARTS = 1000
MOST_DEPTH = 100
"""Of an expression that xDSL can walk: it takes some frames of Python's stack per level."""


def is_small(expr: AffineExpr) -> bool:
    """Whether xDSL can walk an expression."""
    pending = [(expr, 1)]
    count = 0
    while pending:
        part, depth = pending.pop()
        count += 1
        if count > MOST_PARTS or depth > MOST_DEPTH:
            return False
        # By type, which takes half as long as `isinstance`.
        if type(part) is AffineBinaryOpExpr:
            pending += [(part.lhs, depth + 1), (part.rhs, depth + 1)]
    return True


Term = tuple[AffineExpr, int]
"""A multiple of an expression, in a sum of several."""


class LinearTerms(NamedTuple):
    """Coefficients of dimensions, a constant, and coefficients of divisions."""

    linear: dict[int, int]
    constant: int
    divisions: list[tuple[AffineBinaryOpExpr, int]]


def linear_terms(*parts: Term) -> LinearTerms:
    """A sum of multiples, by its terms.

    Raises ValueError for what is no affine expression of dimensions.
    """
    linear: dict[int, int] = {}
    constant = 0
    divisions: list[tuple[AffineBinaryOpExpr, int]] = []
    # Most are dimensions and constants.
    is_simple = all(type(part) is not AffineBinaryOpExpr for part, _ in parts)
    for part, factor in parts if is_simple else summands(*parts):
        if type(part) is AffineConstantExpr:
            constant += part.value * factor
        elif type(part) is AffineDimExpr:
            linear[part.position] = linear.get(part.position, 0) + factor
        elif type(part) is AffineBinaryOpExpr and part.kind is not _MUL:
            divisions.append((part, factor))
        else:
            raise ValueError(f"{part} is no affine expression of dimensions")
    return LinearTerms(linear, constant, divisions)


def summands(*parts: Term) -> Iterator[Term]:
    """The terms of a sum of multiples with their factors, from left to right.

    A product without a constant behind is one of these.
    """
    pending = [*reversed(parts)]
    while pending:
        part, factor = pending.pop()
        # By type, which takes half as long as `isinstance`.
        if type(part) is not AffineBinaryOpExpr:
            yield part, factor
        elif part.kind is _ADD:
            pending += [(part.rhs, factor), (part.lhs, factor)]
        elif part.kind is _MUL and type(part.rhs) is AffineConstantExpr:
            pending.append((part.lhs, factor * part.rhs.value))
        else:
            yield part, factor


def joined(expr: AffineExpr) -> AffineExpr:
    """`expr` with like terms joined, otherwise as it was written: `i floordiv 1` stays."""
    factors: dict[AffineExpr, int] = {}
    offset = 0
    for part, factor in summands((expr, 1)):
        if type(part) is AffineConstantExpr:
            offset += part.value * factor
        else:
            factors[part] = factors.get(part, 0) + factor
    return sum_of(((part, factor) for part, factor in factors.items() if factor), offset)


def difference(left: AffineExpr, right: AffineExpr) -> AffineExpr:
    """`left + right * -1`, which is mostly a constant."""
    return left + (-right.value if type(right) is AffineConstantExpr else right * -1)


def sum_of(terms: Iterable[Term], constant: int) -> AffineExpr:
    """The sum of multiples, none by 0, of dimensions and divisions, in their order.

    It is what `+` and `*` make of them, which look for more to simplify and so take long.
    """
    total: AffineExpr | None = None
    for term, factor in terms:
        if factor != 1:
            term = AffineBinaryOpExpr(_MUL, term, AffineExpr.constant(factor))
        total = term if total is None else AffineBinaryOpExpr(_ADD, total, term)
    if total is None:
        return AffineExpr.constant(constant)
    return AffineBinaryOpExpr(_ADD, total, AffineExpr.constant(constant)) if constant else total
