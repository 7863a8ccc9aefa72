"""The common reductions. Each also combines single values, as in `max(a, b)`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Const, Expr, apply, const
from teloom.frontend.tensor.conditions import select
from teloom.frontend.tensor.reductions import as_condition, comm_reducer


def _extreme(sign: int) -> Callable[[str], Const]:
    def identity(dtype: str) -> Const:
        info = dtypes.of(dtype)
        if info.kind == dtypes.FLOAT:
            return Const(sign * math.inf, dtype)
        return Const(info.highest if sign > 0 else info.lowest, dtype)

    return identity


def _chosen(of_integers: str, other_wins: Callable[[Expr, Expr], Expr]) -> Callable[..., Expr]:
    """The extreme of two values; of floats as Python's `max` and `min` have it.

    The first, unless the other one wins the comparison: one instruction of x86. A NaN wins none,
    so a fold from the identity passes over all that it meets, whatever their order.
    """

    def choose(x: Expr, y: Expr) -> Expr:
        extreme = apply(of_integers, x, y)
        return select(other_wins(y, x), y, x) if _is_float(extreme) else extreme

    return choose


def _is_float(value: Expr) -> bool:
    return dtypes.of(value.dtype).kind == dtypes.FLOAT


def _truth(value: bool) -> Callable[[str], Const]:
    def identity(dtype: str) -> Const:
        if dtype != "bool":
            raise Error(f"te.any and te.all want bool, got {dtype}; compare first, as in x != 0")
        return Const(value, "bool")

    return identity


sum = comm_reducer(lambda x, y: x + y, lambda t: const(0, t), name="sum")
prod = comm_reducer(lambda x, y: x * y, lambda t: const(1, t), name="prod")
# The identity for floats is an infinity. TVM takes the least finite value, which gives a wrong
# maximum for a row of -inf.
max = comm_reducer(_chosen("maximum", operator.gt), _extreme(-1), name="max")
min = comm_reducer(_chosen("minimum", operator.lt), _extreme(1), name="min")
# NumPy's: a NaN anywhere is the result, and 0.0 is above -0.0.
maximum = comm_reducer(lambda x, y: apply("maximum", x, y), _extreme(-1), name="maximum")
minimum = comm_reducer(lambda x, y: apply("minimum", x, y), _extreme(1), name="minimum")
all = comm_reducer(lambda x, y: as_condition(x) & as_condition(y), _truth(True), name="all")
any = comm_reducer(lambda x, y: as_condition(x) | as_condition(y), _truth(False), name="any")
