"""Conditions on sizes, as sets of them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import AffineExpr, AffineSet

from teloom.errors import Error, ScheduleError
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.comparisons import conjunction_of
from teloom.frontend.expr.expressions import Expr, Var
from teloom.frontend.tensor.reductions import as_condition


def size_condition(value: object, sizes: Sequence[Var], what: str) -> AffineSet:
    """The sizes for which a condition holds: comparisons, and several of them with `te.all`.

    Symbol k is `sizes[k]`. Raises `ScheduleError`, in which `what` names the condition, for any
    other expression.
    """
    dims: dict[Expr, AffineExpr] = {
        size: AffineExpr.dimension(number) for number, size in enumerate(sizes)
    }
    symbols = [AffineExpr.symbol(number) for number in range(len(sizes))]
    names = ", ".join(size.name for size in sizes) or "none"
    try:
        forms = AffineForms[AffineExpr | None](dims.get)
        found = conjunction_of([as_condition(value)], forms, f"the sizes ({names})")
    except Error as error:
        raise ScheduleError(f"{what}: {error}") from None
    found = found.map(lambda expr: expr.replace_dims_and_symbols(symbols, ()))
    return found.as_set(0, len(sizes))
