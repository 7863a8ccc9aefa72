"""Which integer expressions are affine, and their form over SSA values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from xdsl.ir.affine import AffineExpr

from teloom.dialects.affine.linear_forms import is_small, joined, linear_terms
from teloom.dialects.bodies.postorder import postorder
from teloom.errors import Error
from teloom.frontend.expr.expressions import Apply, Cast, Const, Expr
from teloom.widths import fits_64_bits

WIDE = ("int32", "int64")
"""The dtypes of affine forms: arithmetic of `index` does not wrap, that of others may."""


Form = TypeVar("Form", AffineExpr, AffineExpr | None)


def parts_of_value(expr: Expr) -> Sequence[Expr]:
    """The operands whose forms make the form of the value of `expr`; none for a leaf.

    What is computed of constants and was not folded is a leaf: it wraps, as of any values.
    """
    wraps = all(isinstance(one, Const) for one in expr.operands())
    return () if wraps else parts_of_position(expr)


def parts_of_position(expr: Expr) -> Sequence[Expr]:
    """The operands whose forms make the form of a subscript or extent; none for a leaf."""
    if expr.dtype not in WIDE:
        return ()
    match expr:
        case Cast() if expr.value.dtype in WIDE:
            return (expr.value,)
        case Apply("negative" | "add" | "sub"):
            return expr.arguments
        case Apply("mul") if any(isinstance(factor, Const) for factor in expr.arguments):
            return expr.arguments
        case Apply("floordiv" | "ceildiv" | "floormod", (_, Const(divisor))) if divisor > 0:
            return expr.arguments
    return ()


class AffineForms(Generic[Form]):
    """The affine forms of expressions; `leaf` gives the form of what is no affine operation.

    If it gives None, the whole expression has no affine form. `shorten` gives a shorter form of
    the same value, for an expression that would be too large; None if there is none. `parts` gives
    the operands whose forms make the form of an expression; none for a leaf.
    """

    def __init__(
        self,
        leaf: Callable[[Expr], Form],
        shorten: Callable[[AffineExpr], AffineExpr | None] = lambda form: None,
        parts: Callable[[Expr], Sequence[Expr]] = parts_of_position,
    ):
        self._leaf, self._shorten, self._parts = leaf, shorten, parts
        self._known: dict[Expr, Any] = {}

    def of(self, expr: Expr) -> Form:
        """The affine form of `expr`; None where a leaf has none.

        Raises `teloom.Error` for a number of more than 64 bits in it.
        """
        if expr not in self._known:
            for part in postorder([expr], self._waiting):
                if part not in self._known:
                    self._known[part] = self._form(part)
        return self._known[expr]

    def knows(self, expr: Expr) -> bool:
        """Whether the form of `expr` was found before."""
        return expr in self._known

    def _waiting(self, expr: Expr) -> Sequence[Expr]:
        return () if expr in self._known else self._parts(expr)

    def _form(self, expr: Expr) -> Any:
        if isinstance(expr, Const) and expr.dtype in WIDE:
            return AffineExpr.constant(int(expr.value))
        forms = [self._known[part] for part in self._parts(expr)]
        if not forms:
            return self._leaf(expr)
        form = _joined(expr, forms)
        return form if form is None or is_small(form) else self._of_shorter(expr, forms)

    def _of_shorter(self, expr: Expr, forms: Sequence[AffineExpr]) -> AffineExpr | None:
        return _joined(expr, [self._shorten(form) for form in forms])


def _joined(expr: Expr, forms: Sequence[AffineExpr | None]) -> AffineExpr | None:
    known = [form for form in forms if form is not None]
    if len(known) < len(forms):
        return None
    form = joined(_combined(expr.function if isinstance(expr, Apply) else "cast", known))
    _check_numbers(form, expr)
    return form


def _check_numbers(form: AffineExpr, expr: Expr) -> None:
    linear, constant, divisions = linear_terms((form, 1))
    for number in (*linear.values(), constant, *(coefficient for _, coefficient in divisions)):
        if not fits_64_bits(number):
            raise Error(
                f"{expr.text(2)} needs the number {number}, which does not fit into 64 bits"
            )


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
        case "ceildiv":
            return forms[0].ceil_div(forms[1])
        case "floormod":
            return forms[0] % forms[1]
        case _:
            return forms[0]
