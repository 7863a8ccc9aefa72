"""Which integer expressions are affine, and their form over SSA values."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from teloom.frontend.expressions import Apply, Cast, Const, Expr

WIDE = ("int32", "int64")
"""Position arithmetic is done in `index`, which does not wrap; so only wide integers take part."""


class AffineForms:
    """The affine forms of expressions; `leaf` gives that of whatever is no affine operation.

    Where `leaf` gives None the whole expression has no affine form.
    """

    def __init__(self, leaf: Callable[[Expr], AffineExpr | None]):
        self._leaf = leaf
        self._known: dict[Expr, AffineExpr | None] = {}

    def of(self, expr: Expr) -> AffineExpr | None:
        """The affine form of `expr`, or None."""
        if expr not in self._known:
            self._known[expr] = self._form(expr)
        return self._known[expr]

    def _form(self, expr: Expr) -> AffineExpr | None:
        if expr.dtype not in WIDE:
            return self._leaf(expr)
        match expr:
            case Const():
                return AffineExpr.constant(int(expr.value))
            case Cast() if expr.value.dtype in WIDE:
                return self.of(expr.value)
            case Apply("negative", (value,)):
                form = self.of(value)
                return None if form is None else form * -1
            case Apply("add" | "sub" | "mul" | "floordiv" | "floormod"):
                return self._binary(expr)
        return self._leaf(expr)

    def _binary(self, expr: Apply) -> AffineExpr | None:
        lhs, rhs = expr.arguments
        if expr.function == "mul" and constant_value(rhs) is None:
            lhs, rhs = rhs, lhs
        factor = constant_value(rhs)
        match expr.function:
            case "mul" if factor is None:
                return self._leaf(expr)
            case "floordiv" | "floormod" if factor is None or factor <= 0:
                return self._leaf(expr)
        first, second = self.of(lhs), self.of(rhs)
        if first is None or second is None:
            return None
        match expr.function:
            case "add":
                return first + second
            case "sub":
                return first + second * -1
            case "mul":
                return first * second
            case "floordiv":
                return first // second
            case _:
                return first % second


def constant_value(expr: Expr) -> int | None:
    """The value of a wide integer expression without axes and sizes, or None."""
    form = AffineForms(lambda _: None).of(expr)
    return form.value if isinstance(form, AffineConstantExpr) else None
