"""What a schedule says by sizes: conditions on them, and numbers that are known at the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir.affine import AffineExpr, AffineSet

from teloom.dialects.affine.fold import is_linear
from teloom.dialects.schedule import SizeNumber
from teloom.errors import Error, ScheduleError
from teloom.frontend.expr.affine_forms import AffineForms
from teloom.frontend.expr.comparisons import conjunction_of
from teloom.frontend.expr.expressions import Const, Expr, Var, walk
from teloom.frontend.expr.integers import checked_integer
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
        condition = as_condition(value)
        for one in walk((condition,)):
            if isinstance(one, Var) and one not in sizes:
                raise Error(f"{one} in {condition} is no size of the program (sizes: {names})")
        forms = AffineForms[AffineExpr | None](dims.get)
        found = conjunction_of([condition], forms, f"the sizes ({names})")
    except Error as error:
        raise ScheduleError(f"{what}: {error}") from None
    found = found.map(lambda expr: expr.replace_dims_and_symbols(symbols, ()))
    return found.as_set(0, len(sizes))


def number_of_sizes(value: Expr, what: str, number: Callable[[Var], int]) -> int:
    """A sum of sizes times constants as a `SizeNumber`; `number` makes one of a single size.

    Raises `ScheduleError`, in which `what` names it, for any other expression that is no constant.
    """

    def leaf(expr: Expr) -> AffineExpr | None:
        return AffineExpr.dimension(number(expr)) if isinstance(expr, Var) else None

    if isinstance(value, Const):
        return checked_integer(value, what)
    form = AffineForms(leaf).of(value)
    if form is None or not is_linear(form) or not form.used_dims():
        raise ScheduleError(
            f"{what} must be an integer, or a sum of sizes times constants, got {value!r}"
        )
    return SizeNumber.of(form)
