"""Affine expressions as sums: coefficients of dimensions and of divisions.

xDSL walks an expression as a tree, by recursion: `e + e`, forty times, is a tree of 2^40 parts.
So expressions that a program makes are kept small: like terms are joined, and one that stays
too large is no affine expression, but a value that is computed by parts.
"""

from __future__ import annotations

from collections.abc import Iterator

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
        # By type: these classes are abstract ones' children, for which `isinstance` is slow.
        if type(part) is AffineBinaryOpExpr:
            pending += [(part.lhs, depth + 1), (part.rhs, depth + 1)]
    return True


def linear_terms(
    expr: AffineExpr,
) -> tuple[dict[int | None, int], list[tuple[AffineBinaryOpExpr, int]]]:
    """An expression as coefficients of dimensions, with the constant at None, and of divisions."""
    linear: dict[int | None, int] = {}
    divisions: list[tuple[AffineBinaryOpExpr, int]] = []
    for part, factor in summands(expr):
        if type(part) is AffineConstantExpr:
            linear[None] = linear.get(None, 0) + part.value * factor
        elif type(part) is AffineDimExpr:
            linear[part.position] = linear.get(part.position, 0) + factor
        elif type(part) is AffineBinaryOpExpr and part.kind is not _MUL:
            divisions.append((part, factor))
        else:
            raise ValueError(f"{expr} is no affine expression of dimensions")
    return linear, divisions


def summands(expr: AffineExpr) -> Iterator[tuple[AffineExpr, int]]:
    """What `expr` is the sum of, with factors, from left to right.

    A product without a constant behind is one of these.
    """
    pending = [(expr, 1)]
    while pending:
        part, factor = pending.pop()
        # By type: these classes are abstract ones' children, for which `isinstance` is slow.
        if type(part) is not AffineBinaryOpExpr:
            yield part, factor
        elif part.kind is _ADD:
            pending += [(part.rhs, factor), (part.lhs, factor)]
        elif part.kind is _MUL and type(part.rhs) is AffineConstantExpr:
            pending.append((part.lhs, factor * part.rhs.value))
        else:
            yield part, factor


def joined(expr: AffineExpr) -> AffineExpr:
    """`expr` with like terms joined, in the order in which they stand, the constant last."""
    factors: dict[AffineExpr, int] = {}
    offset = 0
    for part, factor in summands(expr):
        if type(part) is AffineConstantExpr:
            offset += part.value * factor
        else:
            factors[part] = factors.get(part, 0) + factor
    total: AffineExpr | None = None
    for part, factor in factors.items():
        if factor:
            total = part * factor if total is None else total + part * factor
    return AffineExpr.constant(offset) if total is None else total + offset
