"""Index values as numbers, where the values that they are computed from have numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import affine, arith
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.analysis.index.reading import IndexReader
from teloom.dialects import loop
from teloom.dialects.loop.counts import product_of


def index_value(value: SSAValue, given: Callable[[SSAValue], int | None]) -> int | None:
    """The number that `value` is if others are what `given` says.

    None where that is open, or wraps.
    """
    return _Numbers(given).of(value)


def _quotient(dividend: int, divisor: int) -> int:
    """Rounded towards 0; by 0 it is 0."""
    return (dividend - _remainder(dividend, divisor)) // divisor if divisor else 0


def _remainder(dividend: int, divisor: int) -> int:
    """With the sign of the dividend; by 0 it is 0."""
    rest = abs(dividend) % abs(divisor) if divisor else 0
    return rest if dividend >= 0 else -rest


OF_TWO: Mapping[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    arith.MuliOp: operator.mul,
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
    arith.DivSIOp: _quotient,
    arith.RemSIOp: _remainder,
}
"""What ops give of two numbers."""


class _Numbers(IndexReader[int | None]):
    operations = {
        **OF_TWO,
        affine.ApplyOp: lambda number: number,
        affine.MinOp: min,
        loop.ElementCountOp: lambda *extents: product_of(extents),
    }

    def __init__(self, given: Callable[[SSAValue], int | None]):
        super().__init__()
        self._given = given

    def given(self, value: SSAValue) -> int | None:
        return self._given(value)

    def constant(self, number: int) -> int:
        return number

    def atom(self, value: SSAValue) -> None:
        return None

    def expr(self, expr: AffineExpr, values: Sequence[SSAValue]) -> int:
        return expr.eval([self._known[value] for value in values], ())  # pyright: ignore

    def fits(self, meaning: int | None) -> bool:
        return meaning is not None and abs(meaning) < 2**63
