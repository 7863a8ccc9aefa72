"""Conditions on sizes, as sets of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet

from teloom.dialects.affine.canonical import canonical
from teloom.dialects.affine.linear_forms import difference
from teloom.errors import Error, ScheduleError
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.expressions import Apply, Expr, Var
from teloom.frontend.tensor.reductions import as_condition

_ORDERS = {
    "greater_equal": (0, 1, 0),
    "less_equal": (1, 0, 0),
    "greater": (0, 1, 1),
    "less": (1, 0, 1),
}
"""By comparison: which of its sides is the larger one, which the other, and by how much."""


def size_condition(value: object, sizes: Sequence[Var], what: str) -> AffineSet:
    """The sizes for which a condition holds: comparisons, and several of them with `te.all`.

    Symbol k is `sizes[k]`. Raises `ScheduleError`, in which `what` names the condition, for any
    other expression.
    """
    dims: dict[Expr, AffineExpr] = {
        size: AffineExpr.dimension(number) for number, size in enumerate(sizes)
    }
    forms = AffineForms[AffineExpr | None](dims.get)
    try:
        parts = [*_conjuncts(as_condition(value))]
        constraints = [_constraint(part, forms, len(sizes)) for part in parts]
    except Error as error:
        raise ScheduleError(f"{what}: {error}") from None
    unknown = [part for part, one in zip(parts, constraints, strict=True) if one is None]
    if unknown:
        names = ", ".join(size.name for size in sizes) or "none"
        raise ScheduleError(
            f"{what}: {unknown[0]} is no comparison of affine expressions of the sizes ({names}); "
            "give one condition after the other in place of te.any"
        )
    return AffineSet(0, len(sizes), tuple(one for one in constraints if one is not None))


def _conjuncts(condition: Expr) -> Iterator[Expr]:
    pending = [condition]
    while pending:
        one = pending.pop()
        if isinstance(one, Apply) and one.function == "bitwise_and":
            pending += reversed(one.arguments)
        else:
            yield one


def _constraint(
    part: Expr, forms: AffineForms[AffineExpr | None], sizes: int
) -> AffineConstraintExpr | None:
    """A comparison as a constraint on symbols, of which there are so many; None if it is none."""
    if not isinstance(part, Apply) or part.function not in ("equal", *_ORDERS):
        return None
    lhs, rhs = (forms.of(argument) for argument in part.arguments)
    if lhs is None or rhs is None:
        return None
    if part.function == "equal":
        kind, expr = AffineConstraintKind.eq, difference(lhs, rhs)
    else:
        larger, other, margin = _ORDERS[part.function]
        kind = AffineConstraintKind.ge
        expr = difference((lhs, rhs)[larger], (lhs, rhs)[other]) + -margin
    symbols = [AffineExpr.symbol(number) for number in range(sizes)]
    over_symbols = canonical(expr).replace_dims_and_symbols(symbols, ())
    return AffineConstraintExpr(kind, over_symbols, AffineExpr.constant(0), canonicalize=False)
