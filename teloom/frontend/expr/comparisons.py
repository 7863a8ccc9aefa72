"""Conditions that are affine comparisons, as constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir.affine import AffineExpr

from teloom.dialects.affine.canonical import canonical
from teloom.dialects.affine.conjunctions import Conjunction
from teloom.dialects.affine.linear_forms import difference
from teloom.errors import Error
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.expressions import Apply, Expr

_ORDERS = {
    "greater_equal": (0, 1, 0),
    "less_equal": (1, 0, 0),
    "greater": (0, 1, 1),
    "less": (1, 0, 1),
}
"""By comparison: which of its sides is the larger one, which the other, and by how much."""


def conjunction_of(
    conditions: Sequence[Expr], forms: AffineForms[AffineExpr | None], over: str
) -> Conjunction:
    """Conditions that compare affine expressions, or join several comparisons by `te.all`.

    Raises `teloom.Error` for any other expression; `over` names in it what they are affine in.
    """
    found = Conjunction([], [])
    for part in _conjuncts(conditions):
        if not isinstance(part, Apply) or part.function not in ("equal", *_ORDERS):
            raise _refused(part, over)
        lhs, rhs = (forms.of(argument) for argument in part.arguments)
        if lhs is None or rhs is None:
            raise _refused(part, over)
        if part.function == "equal":
            found.equalities.append(canonical(difference(lhs, rhs)))
        else:
            larger, other, margin = _ORDERS[part.function]
            expr = difference((lhs, rhs)[larger], (lhs, rhs)[other]) + -margin
            found.inequalities.append(canonical(expr))
    return found


def _refused(part: Expr, over: str) -> Error:
    is_any = isinstance(part, Apply) and part.function == "bitwise_or"
    hint = "; give one condition after the other in place of te.any" if is_any else ""
    return Error(f"{part} is no comparison of affine expressions of {over}{hint}")


def _conjuncts(conditions: Sequence[Expr]) -> Iterator[Expr]:
    pending = [*reversed(conditions)]
    while pending:
        one = pending.pop()
        if isinstance(one, Apply) and one.function == "bitwise_and":
            pending += reversed(one.arguments)
        else:
            yield one
