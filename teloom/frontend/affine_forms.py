"""Which integer expressions are affine, and their form over SSA values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from xdsl.ir.affine import AffineExpr

from teloom.frontend.expressions import Apply, Cast, Const, Expr

WIDE = ("int32", "int64")
"""Position arithmetic is done in `index`, which does not wrap; so only wide integers take part."""


Form = TypeVar("Form", AffineExpr, AffineExpr | None)


class AffineForms(Generic[Form]):
    """The affine forms of expressions; `leaf` gives that of whatever is no affine operation.

    Where `leaf` gives None the whole expression has no affine form.
    """

    def __init__(self, leaf: Callable[[Expr], Form]):
        self._leaf = leaf
        self._known: dict[Expr, Any] = {}

    def of(self, expr: Expr) -> Form:
        """The affine form of `expr`; None where a leaf has none."""
        # A stack of our own: sums of many terms are deeper than Python's.
        pending = [expr]
        while pending:
            top = pending[-1]
            waiting = [part for part in parts(top) if part not in self._known]
            if waiting:
                pending.extend(reversed(waiting))
                continue
            pending.pop()
            if top not in self._known:
                self._known[top] = self._form(top)
        return self._known[expr]

    def _form(self, expr: Expr) -> Any:
        if isinstance(expr, Const) and expr.dtype in WIDE:
            return AffineExpr.constant(int(expr.value))
        forms = [self._known[part] for part in parts(expr)]
        if not forms:
            return self._leaf(expr)
        if None in forms:
            return None
        return _combined(expr.function if isinstance(expr, Apply) else "cast", forms)


def parts(expr: Expr) -> Sequence[Expr]:
    """The operands of which an affine form of `expr` would be made; none for a leaf."""
    if expr.dtype not in WIDE:
        return ()
    match expr:
        case Cast() if expr.value.dtype in WIDE:
            return (expr.value,)
        case Apply("negative" | "add" | "sub"):
            return expr.arguments
        case Apply("mul") if any(isinstance(factor, Const) for factor in expr.arguments):
            return expr.arguments
        case Apply("floordiv" | "floormod", (_, Const(divisor))) if divisor > 0:
            return expr.arguments
    return ()


def _combined(function: str, forms: Sequence[AffineExpr]) -> AffineExpr:
    match function:
        case "negative":
            return forms[0] * -1
        case "add":
            return forms[0] + forms[1]
        case "sub":
            return forms[0] + forms[1] * -1
        case "mul":
            return forms[0] * forms[1]
        case "floordiv":
            return forms[0] // forms[1]
        case "floormod":
            return forms[0] % forms[1]
        case _:
            return forms[0]
