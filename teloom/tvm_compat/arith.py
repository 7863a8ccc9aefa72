"""`tvm.arith`: expressions are folded where they are written, which is what it simplifies."""

from __future__ import annotations

from typing import Any

from teloom.frontend.expr.expressions import Expr, as_expr
from teloom.frontend.tensor.shape_forms import linear_form, same_extents
from teloom.tvm_compat.refusals import missing_part

__all__ = ["Analyzer"]


class Analyzer:
    """TVM's arith.Analyzer, of which programs of te ask for `simplify`."""

    def simplify(self, expr: Any, steps: int = 2) -> Expr:
        """The expression: sums of sizes in their shortest form, a number where it is constant.

        >>> from teloom import te
        >>> n = te.var("n")
        >>> Analyzer().simplify(n * 2 + 3 - n), Analyzer().simplify(n + 4 - n).value
        ((n + 3), 4)
        """
        given = as_expr(expr)
        form = linear_form(given)
        return given if form is None else form.expr(given.dtype)

    rewrite_simplify = canonical_simplify = simplify

    def can_prove_equal(self, lhs: Any, rhs: Any) -> bool:
        """Whether two integers are equal at all sizes.

        >>> from teloom import te
        >>> n = te.var("n")
        >>> Analyzer().can_prove_equal(n * 2, n + n), Analyzer().can_prove_equal(n, 2)
        (True, False)
        """
        return same_extents([as_expr(lhs)], [as_expr(rhs)])

    def __getattr__(self, name: str) -> Any:
        raise missing_part("an Analyzer", name)


def __getattr__(name: str) -> Any:
    raise missing_part("tvm.arith", name)
