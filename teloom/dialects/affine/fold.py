"""What an affine expression is, found from what its parts are: the one walk over expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

Meaning = TypeVar("Meaning")


def fold(
    expr: AffineExpr,
    leaf: Callable[[Any], Meaning],
    combine: Callable[[AffineBinaryOpExpr, Meaning, Meaning], Meaning],
) -> Meaning:
    """Folds an expression: `combine` joins the two parts of an operation, `leaf` takes the rest.

    From left to right; parts that are one object are met once, and may be nested deeper than
    Python's stack.
    """
    # By type, which takes half as long as `isinstance`.
    if type(expr) is not AffineBinaryOpExpr:
        return leaf(expr)
    # By identity: to compare expressions is to walk them.
    found: dict[int, Meaning] = {}
    pending = [expr]
    while pending:
        part = pending[-1]
        for side in (part.lhs, part.rhs):
            if id(side) in found:
                continue
            if type(side) is AffineBinaryOpExpr:
                pending.append(side)
                break
            found[id(side)] = leaf(side)
        else:
            found[id(part)] = combine(part, found[id(part.lhs)], found[id(part.rhs)])
            pending.pop()
    return found[id(expr)]


DIVISIONS = (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv, AffineBinaryOpKind.Mod)


def operations(expr: AffineExpr) -> Iterator[AffineBinaryOpExpr]:
    """The operations that `expr` is written with."""
    return (part for part in expr.dfs() if type(part) is AffineBinaryOpExpr)


def is_linear(expr: AffineExpr) -> bool:
    """Whether an expression is written without divisions."""
    return not any(part.kind in DIVISIONS for part in operations(expr))


def replace_dims(expr: AffineExpr, new_dim: Callable[[int], AffineExpr]) -> AffineExpr:
    """`expr` with every dimension d replaced by `new_dim(d)`, visited left to right."""

    def leaf(expr: AffineExpr) -> AffineExpr:
        return new_dim(expr.position) if type(expr) is AffineDimExpr else expr

    return fold(expr, leaf, _rebuilt)


def _rebuilt(expr: AffineBinaryOpExpr, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    if type(lhs) is AffineConstantExpr or type(rhs) is AffineConstantExpr:
        # A constant may now meet another one, or be one that has no effect.
        if type(lhs) is not AffineDimExpr or rhs is not expr.rhs:
            return AffineExpr.binary(expr.kind, lhs, rhs)
    return AffineBinaryOpExpr(expr.kind, lhs, rhs)


def map_of_dims(count: int, exprs: Sequence[AffineExpr]) -> AffineMap:
    """The map from so many dimensions to `exprs`, whose further dimensions are its symbols.

    It has as many symbols as they need.
    """

    def moved(dim: int) -> AffineExpr:
        return AffineExpr.dimension(dim) if dim < count else AffineExpr.symbol(dim - count)

    results = tuple(replace_dims(expr, moved) for expr in exprs)
    parts = (part for expr in results for part in expr.dfs())
    symbols = (part.position for part in parts if isinstance(part, AffineSymExpr))
    return AffineMap(count, max(symbols, default=-1) + 1, results)


def over_dims(map: AffineMap) -> Sequence[AffineExpr]:
    """The results of `map` with its symbols as further dimensions, as operands are numbered."""
    if not map.num_symbols:
        return map.results
    dims = [AffineExpr.dimension(k) for k in range(map.num_dims + map.num_symbols)]
    new = dims[: map.num_dims], dims[map.num_dims :]
    return [expr.replace_dims_and_symbols(*new) for expr in map.results]
