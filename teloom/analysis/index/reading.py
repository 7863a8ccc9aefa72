"""Index values by what they mean: one reader of the ops that compute them, many meanings.

A meaning is a number, a limit, a polynomial, or what an integer set can be made of. Who wants
another one makes an `IndexReader` of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from teloom.dialects.affine.fold import over_dims
from teloom.dialects.bodies.postorder import postorder

Meaning = TypeVar("Meaning")


class IndexReader(ABC, Generic[Meaning]):
    """The forms of index values; each is read once, however many others are computed from it."""

    operations: ClassVar[Mapping[type[Operation], Callable[..., object]]]
    """What the ops that are read give, from what their operands mean; None for nothing of use.

    Of an op with an affine map, its expressions stand for its operands.
    """

    def __init__(self) -> None:
        self._known: dict[SSAValue, Meaning] = {}

    @abstractmethod
    def constant(self, number: int) -> Meaning: ...

    @abstractmethod
    def atom(self, value: SSAValue) -> Meaning:
        """The meaning of a value that is not computed by the ops that are read."""

    @abstractmethod
    def expr(self, expr: AffineExpr, values: Sequence[SSAValue]) -> Meaning:
        """The meaning of `expr`, whose dimension k stands for `values[k]`, which are known."""

    def given(self, value: SSAValue) -> Meaning | None:
        """The form of `value` that is given for it, however it is computed."""
        return None

    def fits(self, meaning: Meaning) -> bool:
        """Whether it can be used; a value whose meaning is too large is an atom."""
        return True

    def of(self, value: SSAValue) -> Meaning:
        if value in self._known:
            return self._known[value]
        # Most values are read from nothing that is not known.
        is_last = all([part in self._known for part in self._unread(value)])
        for one in [value] if is_last else postorder([value], self._unread):
            if one not in self._known:
                meaning = self._read(one)
                fits = meaning is not None and self.fits(meaning)
                self._known[one] = meaning if fits else self.atom(one)  # pyright: ignore
        return self._known[value]

    def _unread(self, value: SSAValue) -> Sequence[SSAValue]:
        if value in self._known or self.given(value) is not None or not self.reads(value):
            return ()
        assert isinstance(value.owner, Operation)
        return value.owner.operands

    def reads(self, value: SSAValue) -> bool:
        """Whether the meaning of a value comes from its op. Narrower integers wrap."""
        return type(value.owner) in self.operations and isinstance(value.type, IndexType)

    def _read(self, value: SSAValue) -> Meaning | None:
        given = self.given(value)
        if given is not None:
            return given
        number = constant_of(value)
        if number is not None:
            return self.constant(number)
        if not self.reads(value):
            return None
        op = value.owner
        assert isinstance(op, Operation)
        parts = [self._known[operand] for operand in op.operands]
        if any(part is None for part in parts):
            return None
        map = op.properties.get("map")
        if isinstance(map, AffineMapAttr):
            parts = [self.expr(expr, op.operands) for expr in over_dims(map.data)]
        return self.operations[type(op)](*parts)  # pyright: ignore


def constant_of(value: SSAValue) -> int | None:
    """The number that a value of type `index` is, if it is a constant."""
    op = value.owner
    is_constant = isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr)
    if not is_constant or not isinstance(value.type, IndexType):
        return None
    return op.value.value.data  # pyright: ignore
