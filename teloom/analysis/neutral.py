"""What each op of `arith` folds from: its neutral element."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

_NEUTRAL: dict[type[Operation], Callable[[int], float]] = {
    arith.AddfOp: lambda _: 0.0,
    arith.MulfOp: lambda _: 1.0,
    arith.MaximumfOp: lambda _: -inf,
    arith.MinimumfOp: lambda _: inf,
    arith.AddiOp: lambda _: 0,
    arith.MuliOp: lambda _: 1,
    arith.OrIOp: lambda _: 0,
    arith.XOrIOp: lambda _: 0,
    arith.AndIOp: lambda _: -1,
    arith.MaxSIOp: lambda width: -(1 << (width - 1)),
    arith.MinSIOp: lambda width: (1 << (width - 1)) - 1,
    arith.MaxUIOp: lambda _: 0,
    arith.MinUIOp: lambda _: -1,
}
"""By the number of bits of a value."""


def neutral_of(kind: type[Operation], type: Attribute) -> FloatAttr | IntegerAttr | None:
    """The value that `kind` combines with any other one to that one; None where it has none.

    >>> from xdsl.dialects.builtin import i8
    >>> str(neutral_of(arith.MaxSIOp, i8))
    '-128 : i8'
    """
    neutral = _NEUTRAL.get(kind)
    if neutral is None:
        return None
    if isinstance(type, AnyFloat):
        return FloatAttr(neutral(type.bitwidth), type)
    if isinstance(type, IntegerType):
        return IntegerAttr(int(neutral(type.width.data)), type)
    return None
