"""Layouts from Python functions: `lambda i, j: [j // 4, i, j % 4]`, and loops that follow them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.syntax.layouts import LayoutAttr
from teloom.errors import ScheduleError
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.expressions import as_expr
from teloom.frontend.tensor.tensors import IterVar


class AxisSeparator:
    """Stands between two groups of physical axes that are flattened apart."""

    def __repr__(self) -> str:
        return "te.AXIS_SEPARATOR"


AXIS_SEPARATOR = AxisSeparator()


def layout_of(axes: Sequence[IterVar], mapping: Callable[..., Any], name: str) -> LayoutAttr:
    """The layout in which the element at `axes` lies at what `mapping` gives for them.

    Raises `teloom.ScheduleError` for what is no list of affine expressions of the axes.
    """
    try:
        inspect.signature(mapping).bind(*axes)
    except TypeError:
        raise ScheduleError(
            f"the layout of {name} is a function of its {len(axes)} data axes "
            f"({', '.join(axis.name for axis in axes)})"
        ) from None
    given = mapping(*axes)
    if not isinstance(given, list | tuple):
        raise ScheduleError(f"the layout of {name} gives a list of expressions, got {given!r}")
    positions = {axis: AffineExpr.dimension(k) for k, axis in enumerate(axes)}
    forms: AffineForms[AffineExpr | None] = AffineForms(positions.get)  # pyright: ignore
    exprs: list[AffineExpr] = []
    separators: list[int] = []
    for one in given:
        if one is AXIS_SEPARATOR:
            separators.append(len(exprs))
            continue
        form = forms.of(as_expr(one))
        if form is None:
            raise ScheduleError(
                f"{one} in the layout of {name} is no affine expression of its data axes"
            )
        exprs.append(form)
    try:
        return LayoutAttr.of(len(axes), exprs, separators)
    except VerifyException as error:
        raise ScheduleError(f"the layout of {name}: {error}") from None


class Split(NamedTuple):
    """An axis, given by an expression of the data axes, in parts of `factor`."""

    axis: AffineExpr
    factor: int


def splits_for(layout: LayoutAttr) -> list[Split] | None:
    """The splits after which the leaves are the physical axes, in order; None if there are none.

    A physical axis is a data axis, or the quotient or remainder of another expression by a
    constant, both of which the layout has; each stands in it once.
    """
    rank = layout.map.data.num_dims
    leaves = {AffineExpr.dimension(k) for k in range(rank)}
    splits: list[Split] = []

    def make(expr: AffineExpr) -> bool:
        if expr in leaves:
            return True
        match expr:
            case AffineBinaryOpExpr(
                AffineBinaryOpKind.FloorDiv | AffineBinaryOpKind.Mod,
                axis,
                AffineConstantExpr(factor),
            ) if make(axis):
                leaves.remove(axis)
                leaves.update((axis // factor, axis % factor))
                splits.append(Split(axis, factor))
                return True
        return False

    found = all(make(expr) for expr in layout.exprs)
    once = len(leaves) == len(layout.exprs)
    return splits if found and once and leaves == set(layout.exprs) else None
