"""Extents as affine expressions of sizes and axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir.affine import AffineExpr

from teloom.dialects.affine.canonical import canonical
from teloom.errors import Error
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.expressions import Expr, Var, as_expr, walk
from teloom.frontend.kinds import checked_kind
from teloom.frontend.tensor.tensors import IterVar


def same_extents(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether two shapes are equal for all values of axes and sizes.

    >>> from teloom import te
    >>> n = te.var("n")
    >>> same_extents((n + 1, 4), (1 + n, 4)), same_extents((n,), (4,))
    (True, False)
    """
    for shape in (some, others):
        checked_kind(shape, Sequence, "a shape", "a list of extents")
    return len(some) == len(others) and all(
        one is other or simplified(as_expr(one) - other) == AffineExpr.constant(0)
        for one, other in zip(some, others, strict=True)
    )


def shown_extents(extents: Sequence[Expr]) -> str:
    """Extents in a message; constant ones as numbers."""
    forms = [simplified(extent) for extent in extents]
    return ", ".join(
        str(extent if form is None or form.used_dims() else form)
        for extent, form in zip(extents, forms, strict=True)
    )


def simplified(expr: Expr) -> AffineExpr | None:
    """The affine form of an expression of axes and sizes, numbered by first use."""
    positions: dict[Expr, AffineExpr] = {}

    def leaf(part: Expr) -> AffineExpr | None:
        if not isinstance(part, IterVar | Var):
            return None
        return positions.setdefault(part, AffineExpr.dimension(len(positions)))

    form = AffineForms[AffineExpr | None](leaf).of(expr)
    return None if form is None else canonical(form)


class ShapeForms:
    """Affine expressions whose dimension k is the k-th of the sizes, followed by the axes."""

    def __init__(self, sizes: Sequence[Var], axes: Sequence[IterVar] = ()):
        positions: dict[Expr, AffineExpr] = {
            value: AffineExpr.dimension(number) for number, value in enumerate([*sizes, *axes])
        }
        self._known = positions
        self._forms = AffineForms(positions.get)
        self._over = "its axes and sizes" if axes else "its sizes"

    def extents(self, extents: Sequence[Expr], owner: str) -> tuple[AffineExpr, ...]:
        """The affine forms of the extents of `owner`; raises `teloom.Error` if one has none."""
        return tuple(self._extent(extent, owner) for extent in extents)

    def _extent(self, extent: Expr, owner: str) -> AffineExpr:
        form = self._forms.of(extent)
        others = [one for one in walk((extent,)) if isinstance(one, IterVar)]
        others = [one for one in others if one not in self._known]
        if form is None and others:
            raise Error(
                f"extent {extent} of {owner!r} depends on axis {others[0]}, which is no axis "
                "before it; a reduce axis whose bounds are over the axes of an equation is made in "
                "its function, as in lambda i: te.sum(A[i, r := te.reduce_axis((0, i))], axis=r)"
            )
        if form is None:
            raise Error(
                f"extent {extent} of {owner!r} is not affine in {self._over}; only sums of sizes "
                "times constants, // and % by constants are: give it a te.var of its own"
            )
        return form
