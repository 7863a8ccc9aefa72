"""What integer values can be, by constants and loops: where their arithmetic cannot wrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.arith import IntegerOverflowFlag
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from teloom.analysis.index.limits import LARGEST_SIZE
from teloom.dialects.bodies.postorder import postorder

Range = tuple[int, int]
"""The least and the greatest value, as a signed integer."""


def values_of(type: IndexType | IntegerType) -> Range:
    """All values of a type of integers; those of a truth value are -1 and 0."""
    bits = 64 if isinstance(type, IndexType) else type.width.data
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


class ValueRanges:
    """The ranges of the integers of one function."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, Range] = {}

    def of(self, value: SSAValue) -> Range:
        """The range of an integer; of anything else, any range."""
        if value not in self._known:
            # Most values are computed from such that were asked for.
            for one in postorder([value], self._unknown) if self._unknown(value) else [value]:
                if one not in self._known:
                    self._known[one] = self._find(one)
        return self._known[value]

    def _unknown(self, value: SSAValue) -> list[SSAValue]:
        """What a range follows from, as far as it is not known."""
        if value in self._known:
            return []
        op = value.owner
        if isinstance(op, Block):
            parts = _bounds(op, value) or ()
        else:
            parts = op.operands if type(op) in _RULES else ()
        return [one for one in parts if one not in self._known]

    def is_size(self, value: SSAValue) -> None:
        """Notes that a value is a size of the call."""
        self._known[value] = 0, LARGEST_SIZE

    def _find(self, value: SSAValue) -> Range:
        if not isinstance(value.type, IndexType | IntegerType):
            return 0, 0
        all_values = values_of(value.type)
        found = self._computed(value)
        if found is None or found[0] < all_values[0] or found[1] > all_values[1]:
            return all_values
        return found

    def exact(self, kind: type[Operation], lhs: SSAValue, rhs: SSAValue) -> Range:
        """What a sum, a difference or a product is, if it does not wrap."""
        found = _RULES[kind](None, self.of(lhs), self.of(rhs))
        assert found is not None
        return found

    def overflow_flags(
        self, kind: type[Operation], lhs: SSAValue, rhs: SSAValue
    ) -> tuple[IntegerOverflowFlag, ...]:
        """That a sum, a difference or a product does not wrap: as a signed, an unsigned number."""
        low, high = self.exact(kind, lhs, rhs)
        least, most = values_of(lhs.type)  # pyright: ignore
        if low < least or high > most:
            return ()
        is_unsigned = min(low, self.of(lhs)[0], self.of(rhs)[0]) >= 0
        return _BOTH if is_unsigned else _BOTH[:1]

    def _computed(self, value: SSAValue) -> Range | None:
        op = value.owner
        if isinstance(op, Block):
            return self._counter(op, value)
        rule = _RULES.get(type(op))
        return rule(op, *map(self.of, op.operands)) if rule else None

    def _counter(self, block: Block, value: SSAValue) -> Range | None:
        bounds = _bounds(block, value)
        if bounds is None:
            return None
        lower, upper, step = map(self.of, bounds)
        return (lower[0], max(lower[0], upper[1] - 1)) if step[0] > 0 else None


def _bounds(block: Block, value: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue] | None:
    """The lower bound, the upper bound and the step of a loop whose counter a value is."""
    loop, number = block.parent_op(), block.args.index(value)
    if isinstance(loop, scf.ForOp):
        return None if number else (loop.lb, loop.ub, loop.step)
    if isinstance(loop, scf.ParallelOp):
        return loop.lowerBound[number], loop.upperBound[number], loop.step[number]
    return None


_BOTH = (IntegerOverflowFlag.NSW, IntegerOverflowFlag.NUW)

Rule = Callable[..., Range | None]


def _constant(op: arith.ConstantOp) -> Range | None:
    if not isinstance(op.value, IntegerAttr):
        return None
    value = signed(op.value.value.data, op.value.type)
    return value, value


def signed(value: int, type: IndexType | IntegerType) -> int:
    """The number that a constant is: an attribute may hold its bits as an unsigned one."""
    low, high = values_of(type)
    return (value - low) % (high - low + 1) + low


def _corners(operator: Callable[[int, int], int]) -> Rule:
    def rule(op: object, a: Range, b: Range) -> Range:
        values = [operator(x, y) for x in a for y in b]
        return min(values), max(values)

    return rule


def _by_positive(operator: Callable[[int, int], int]) -> Rule:
    """A quotient, or a rest, by a positive constant."""

    def rule(op: Operation, a: Range, b: Range) -> Range | None:
        if b[0] != b[1] or b[0] <= 0:
            return None
        return operator(a[0], b[0]), operator(a[1], b[0])

    return rule


def _unsigned_by_positive(operator: Callable[[int, int], int]) -> Rule:
    rule = _by_positive(operator)
    return lambda op, a, b: rule(op, a, b) if a[0] >= 0 else None


def _towards_zero(a: int, b: int) -> int:
    return a // b if a >= 0 else -(-a // b)


def _rest(op: Operation, a: Range, b: Range) -> Range | None:
    if b[0] != b[1] or b[0] <= 0:
        return None
    most = b[0] - 1
    return max(-most, min(a[0], 0)), min(most, max(a[1], 0))


def _unsigned_rest(op: Operation, a: Range, b: Range) -> Range | None:
    return (0, b[0] - 1) if b[0] == b[1] and b[0] > 0 else None


def _masked(op: Operation, a: Range, b: Range) -> Range | None:
    limits = [one[1] for one in (a, b) if one[0] >= 0]
    return (0, min(limits)) if limits else None


def _shifted(op: Operation, a: Range, b: Range) -> Range | None:
    return (a[0] >> b[0], a[1] >> b[0]) if b[0] == b[1] and 0 <= b[0] < 64 else None


def _zero_extended(op: Any, a: Range) -> Range:
    bits = op.input.type.width.data
    return a if a[0] >= 0 else (0, 2**bits - 1)


def _same(op: Operation, a: Range) -> Range:
    return a


_RULES: dict[type[Operation], Rule] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: lambda op, a, b: (a[0] + b[0], a[1] + b[1]),
    arith.SubiOp: lambda op, a, b: (a[0] - b[1], a[1] - b[0]),
    arith.MuliOp: _corners(lambda x, y: x * y),
    arith.MinSIOp: lambda op, a, b: (min(a[0], b[0]), min(a[1], b[1])),
    arith.MaxSIOp: lambda op, a, b: (max(a[0], b[0]), max(a[1], b[1])),
    arith.DivSIOp: _by_positive(_towards_zero),
    arith.DivUIOp: _unsigned_by_positive(lambda x, y: x // y),
    arith.FloorDivSIOp: _by_positive(lambda x, y: x // y),
    arith.CeilDivSIOp: _by_positive(lambda x, y: -(-x // y)),
    arith.CeilDivUIOp: _unsigned_by_positive(lambda x, y: -(-x // y)),
    arith.RemSIOp: _rest,
    arith.RemUIOp: _unsigned_rest,
    arith.AndIOp: _masked,
    arith.ShRSIOp: _shifted,
    arith.SelectOp: lambda op, _, a, b: (min(a[0], b[0]), max(a[1], b[1])),
    arith.IndexCastOp: _same,
    arith.ExtSIOp: _same,
    arith.ExtUIOp: _zero_extended,
}
