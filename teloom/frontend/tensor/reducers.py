"""The common reductions. Each also combines single values, as in `max(a, b)`."""

from __future__ import annotations

import math
from collections.abc import Callable

from teloom.errors import Error
from teloom.frontend.expr import dtypes
from teloom.frontend.expr.expressions import Const, apply, const
from teloom.frontend.tensor.reductions import as_condition, comm_reducer


def _extreme(sign: int) -> Callable[[str], Const]:
    def identity(dtype: str) -> Const:
        info = dtypes.of(dtype)
        if info.kind == dtypes.FLOAT:
            return Const(sign * math.inf, dtype)
        return Const(info.highest if sign > 0 else info.lowest, dtype)

    return identity


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
max = comm_reducer(lambda x, y: apply("maximum", x, y), _extreme(-1), name="max")
min = comm_reducer(lambda x, y: apply("minimum", x, y), _extreme(1), name="min")
all = comm_reducer(lambda x, y: as_condition(x) & as_condition(y), _truth(True), name="all")
any = comm_reducer(lambda x, y: as_condition(x) | as_condition(y), _truth(False), name="any")
