"""Maps and layouts from Python functions, `lambda i, j: [j // 4, i, j % 4]`, and their loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.utils.exceptions import VerifyException

from teloom.dialects.affine.fold import map_of_dims, replace_dims
from teloom.dialects.syntax.layouts import LOWER, UPPER, LayoutAttr
from teloom.errors import ScheduleError
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.expressions import Expr, Var, as_expr
from teloom.frontend.kinds import signature_of, takes
from teloom.frontend.tensor.tensors import IterVar


class AxisSeparator:
    """The mark between two groups of physical axes that are flattened apart."""

    def __repr__(self) -> str:
        return "te.AXIS_SEPARATOR"


AXIS_SEPARATOR = AxisSeparator()


@dataclass(frozen=True)
class Packed:
    """The row and the column of an element of a triangle."""

    row: Any
    column: Any
    triangle: str


def packed(row: Any, column: Any, triangle: Literal["lower", "upper"] = "lower") -> Packed:
    """The last two coordinates of a layout as row and column of a triangle, stored packed.

    Row r of a lower triangle is its columns 0 to r, of an upper one its columns r to the last.
    Each row lies right behind the one before, so n of them take n * (n + 1) / 2 elements.
    `packed(j, i)` stores the columns of a matrix instead of its rows: those of an upper triangle
    are the rows of a lower one. Raises `teloom.ScheduleError` for another triangle. Source:
    packed storage of BLAS and LAPACK.

    >>> from teloom import te
    >>> A = te.placeholder((8, 8), name="A")
    >>> B = te.compute((8, 8), lambda i, j: A[i, j] + 1, name="B", domain=lambda i, j: j <= i)
    >>> s = te.create_schedule(B)
    >>> s[B].transform_layout(lambda i, j: [te.packed(i, j)])
    [i, j]
    """
    if triangle not in (LOWER, UPPER):
        raise ScheduleError(f"te.packed stores a lower or an upper triangle, not {triangle!r}")
    return Packed(row, column, triangle)


def layout_of(axes: Sequence[IterVar], mapping: Callable[..., Any], name: str) -> LayoutAttr:
    """The layout in which the physical coordinates of the element at `axes` are `mapping(*axes)`.

    Raises `teloom.ScheduleError` unless these are a list of affine expressions of the axes, of
    which the last two may be packed.
    """
    given = _results(axes, mapping, f"the layout of {name}", "data axes")
    exprs: list[AffineExpr] = []
    separators: list[int] = []
    triangle = None
    if given and isinstance(last := given[-1], Packed):
        given, triangle = [*given[:-1], last.row, last.column], last.triangle
    for one in given:
        if isinstance(one, Packed):
            raise ScheduleError(f"the layout of {name}: te.packed gives its last coordinates")
        if one is AXIS_SEPARATOR:
            separators.append(len(exprs))
        else:
            exprs.append(_form(one, axes, f"the layout of {name}", "data axes"))
    try:
        return LayoutAttr.of(len(axes), exprs, separators, triangle)
    except VerifyException as error:
        raise ScheduleError(f"the layout of {name}: {error}") from None


def map_of(
    axes: Sequence[IterVar], mapping: Callable[..., Any], what: str, number: Callable[[Var], int]
) -> AffineMap:
    """The affine map `mapping` of axes; `what` it is stands in messages.

    Sizes are symbols, of which `number` gives the position. Raises `teloom.ScheduleError` unless
    its results are a list of affine expressions of the axes and of sizes.
    """
    given = _results(axes, mapping, what, "axes")
    sizes: dict[Var, AffineExpr] = {}

    def dim_of_size(expr: Expr) -> AffineExpr | None:
        if not isinstance(expr, Var):
            return None
        return sizes.setdefault(expr, AffineExpr.dimension(len(axes) + len(sizes)))

    exprs = [_form(one, axes, what, "axes and of sizes", dim_of_size) for one in given]
    over = [*map(AffineExpr.dimension, range(len(axes)))]
    over += [AffineExpr.symbol(number(size)) for size in sizes]
    return map_of_dims(len(axes), [replace_dims(expr, over.__getitem__) for expr in exprs])


def _results(
    axes: Sequence[IterVar], mapping: Callable[..., Any], what: str, noun: str
) -> Sequence[object]:
    """The results of a function of axes, a list; parameters behind `*args` are the last."""
    signature = signature_of(mapping, what, f"a function of {noun}", ScheduleError)
    parameters = signature.parameters.values()
    behind = [one.name for one in parameters if one.kind == one.KEYWORD_ONLY]
    first = max(0, len(axes) - len(behind))
    named = dict(zip(behind, axes[first:], strict=False))
    if not takes(signature, *axes[:first], **named):
        raise ScheduleError(
            f"{what} is a function of its {len(axes)} {noun} "
            f"({', '.join(axis.name for axis in axes)})"
        )
    given = mapping(*axes[:first], **named)
    if not isinstance(given, list | tuple):
        raise ScheduleError(f"{what} gives a list of expressions, got {given!r}")
    return given


def _form(
    given: object,
    axes: Sequence[IterVar],
    what: str,
    noun: str,
    other: Callable[[Expr], AffineExpr | None] = lambda expr: None,
) -> AffineExpr:
    positions: dict[Expr, AffineExpr] = {
        axis: AffineExpr.dimension(k) for k, axis in enumerate(axes)
    }
    forms: AffineForms[AffineExpr | None] = AffineForms(
        lambda expr: positions.get(expr) or other(expr)
    )
    form = forms.of(as_expr(given))
    if form is None:
        raise ScheduleError(f"{given} in {what} is no affine expression of its {noun}")
    return form


class Split(NamedTuple):
    """A split by `factor` of an axis, which is an expression of the data axes."""

    axis: AffineExpr
    factor: int


def splits_for(layout: LayoutAttr) -> list[Split] | None:
    """The splits that make the leaves of the data axes equal the physical axes; None if none do.

    Each physical axis must be a data axis, or a quotient or remainder by a constant. Quotients
    and remainders must come in pairs, and every physical axis must occur once.
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
