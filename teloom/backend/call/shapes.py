"""Solves for the sizes of a call from the shapes and strides of its arrays."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineExpr,
    AffineSymExpr,
)

from teloom.analysis.index.limits import LARGEST_SIZE
from teloom.analysis.signature import Argument, Signature, shape_at, symbols_of
from teloom.dialects.affine.linear_forms import summands
from teloom.dialects.affine.operands import text_pieces
from teloom.dialects.syntax.layouts import rows_of
from teloom.errors import CallError


def shape_text(shape: Sequence[int]) -> str:
    """A shape as NumPy writes it."""
    return str(tuple(shape))


def expression_text(expression: AffineExpr, names: Sequence[str]) -> str:
    """An expression of the sizes, written with their names."""
    pieces = text_pieces(expression)
    return "".join(one if isinstance(one, str) else names[one.position] for one in pieces)


class ArrayLayout(NamedTuple):
    """The layout of an array, in elements; a stride is None on an axis without neighbours."""

    shape: tuple[int, ...]
    strides: tuple[int | None, ...] = ()
    offset: int = 0

    def of_shape(self, argument: Argument) -> Iterator[tuple[AffineExpr, int]]:
        """The extents that the argument declares, each with that of the array that says it."""
        for extent, found in self._of_all(argument):
            if not (argument.placement.broadcasts and found == 1):
                yield extent, found

    def of_repeated(self, argument: Argument) -> Iterator[tuple[AffineExpr, int]]:
        """The extents of one element, which may stand for any number."""
        for extent, found in self._of_all(argument):
            if argument.placement.broadcasts and found == 1:
                yield extent, found

    def _of_all(self, argument: Argument) -> Iterator[tuple[AffineExpr, int]]:
        shape = self.shape
        if argument.is_packed:
            shape = (*shape[:-1], rows_of(shape[-1]))
        return zip(argument.shape or (), shape, strict=False)

    def of_placement(self, argument: Argument) -> Iterator[tuple[AffineExpr, int]]:
        """The strides and the offset that the argument declares, each with that of the array."""
        for stride, found in zip(argument.placement.strides or (), self.strides, strict=False):
            if found is not None:
                yield stride, found
        yield argument.placement.offset, self.offset


class SizeSolver:
    """Solves for the sizes of one call, and remembers the source of each for messages."""

    def __init__(self, signature: Signature, passed: dict[int, int]):
        self.signature = signature
        self.values: dict[int, int] = dict(passed)
        self.sources: dict[int, str] = {i: "the call" for i in passed}

    def solve(self, arrays: Sequence[ArrayLayout]) -> tuple[int, ...]:
        """The sizes in order, for which every array has the layout that the signature declares.

        Raises `CallError` if there are none.
        """
        arguments = tuple(zip(self.signature.arguments, arrays, strict=True))
        for sources in (ArrayLayout.of_shape, ArrayLayout.of_placement), (ArrayLayout.of_repeated,):
            pairs = [
                (expression, value, argument.name)
                for pairs_of in sources
                for argument, layout in arguments
                for expression, value in pairs_of(layout, argument)
            ]
            for is_ready in (_is_symbol, self._has_one_unknown):
                for expression, value, source in pairs:
                    if is_ready(expression):
                        self.take(expression, value, source)
        self._free_strides(arrays)
        self._check_all_known()
        for number, layout in enumerate(arrays):
            self._check_shape(number, layout.shape)
            self._check_placement(number, layout)
        return self._sizes()

    def _free_strides(self, arrays: Sequence[ArrayLayout]) -> None:
        """Takes 0 for the strides of axes without neighbours."""
        for argument, layout in zip(self.signature.arguments, arrays, strict=True):
            for stride, found in zip(
                argument.placement.strides or (), layout.strides, strict=False
            ):
                for symbol in symbols_of(stride) if found is None else ():
                    self.values.setdefault(symbol, 0)

    def _has_one_unknown(self, expression: AffineExpr) -> bool:
        return len(symbols_of(expression) - self.values.keys()) == 1

    def take(self, expression: AffineExpr, extent: int, source: str) -> None:
        """Solves `expression == extent` for its unknown size, if there is exactly one."""
        unknown = symbols_of(expression) - self.values.keys()
        if len(unknown) != 1:
            return
        (symbol,) = unknown
        line = self._line(expression, symbol)
        if line is None or line[0] == 0:
            return
        slope, offset = line
        # A remainder here means that no size fits: the check of the shapes reports it.
        self.values[symbol] = max(0, (extent - offset) // slope)
        self.sources[symbol] = source

    def _line(self, expression: AffineExpr, symbol: int) -> tuple[int, int] | None:
        """Slope and offset of `expression` as a linear function of `symbol`, if it is one."""
        slope = offset = 0
        for part, factor in summands((expression, 1)):
            if isinstance(part, AffineConstantExpr):
                offset += part.value * factor
            elif not isinstance(part, AffineSymExpr):
                return None
            elif part.position == symbol:
                slope += factor
            else:
                offset += self.values[part.position] * factor
        return slope, offset

    def _check_all_known(self) -> None:
        for number, name in enumerate(self.signature.sizes):
            if number not in self.values:
                raise CallError(
                    f"{self.signature.name}: the size {name} does not follow from the "
                    "arrays; make it a parameter of the function"
                )
            if self.values[number] > LARGEST_SIZE:
                raise CallError(
                    f"{self.signature.name}: the size {name} is {self.values[number]}, taken from "
                    f"{self.sources[number]}; sizes go from 0 to {LARGEST_SIZE}"
                )

    def _check_shape(self, number: int, shape: tuple[int, ...]) -> None:
        argument = self.signature.arguments[number]
        if argument.shape is None:
            return
        expected = argument.shape_at(self._sizes())
        expected = tuple(
            1 if self._is_repeated(argument, axis, shape) else extent
            for axis, extent in enumerate(expected)
        )
        if shape == expected:
            return
        axis = next(i for i, (a, b) in enumerate(zip(shape, expected, strict=True)) if a != b)
        extent = shape_at(argument.shape, self._sizes())[axis]
        reason = self._reason(argument.shape[axis], extent)
        if argument.is_packed and axis == len(shape) - 1:
            reason = f"{expected[axis]}, the elements of a packed triangle with rows {reason}"
        raise CallError(
            f"{self.signature.name}: argument {argument.name} has shape {shape_text(shape)}, "
            f"expected {shape_text(expected)}: its axis {axis} must equal {reason}"
        )

    def _is_repeated(self, argument: Argument, axis: int, shape: tuple[int, ...]) -> bool:
        """Whether the array has one element on an axis, at which the stride is 0."""
        placement = argument.placement
        if not placement.broadcasts or placement.strides is None or shape[axis] != 1:
            return False
        return self._value(placement.strides[axis]) == 0

    def _check_placement(self, number: int, layout: ArrayLayout) -> None:
        argument = self.signature.arguments[number]
        placement = argument.placement
        where = f"{self.signature.name}: argument {argument.name}"
        for axis, stride in enumerate(placement.strides or ()):
            found, expected = layout.strides[axis], self._value(stride)
            if found not in (None, expected):
                raise CallError(
                    f"{where} has stride {found} on axis {axis}, in elements; "
                    f"it must equal {self._reason(stride, expected)}"
                )
        if not placement.has_offset:
            return
        expected = self._value(placement.offset)
        if layout.offset != expected:
            raise CallError(
                f"{where} begins {layout.offset} elements behind its memory's start; "
                f"that must equal {self._reason(placement.offset, expected)}"
            )
        if layout.offset % placement.factor:
            raise CallError(
                f"{where} begins {layout.offset} elements behind its memory's start; "
                f"that must be a multiple of {placement.factor}"
            )

    def _sizes(self) -> tuple[int, ...]:
        return tuple(self.values[i] for i in range(len(self.signature.sizes)))

    def _value(self, expression: AffineExpr) -> int:
        return expression.eval([], self._sizes())

    def _reason(self, expression: AffineExpr, value: int) -> str:
        symbols = sorted(symbols_of(expression))
        if not symbols:
            return str(value)
        text = expression_text(expression, self.signature.sizes)
        text = f"{text if self._value(expression) == value else f'max(0, {text})'} = {value}"
        if _is_symbol(expression):
            return f"{text}, taken from {self.sources[symbols[0]]}"
        names = self.signature.sizes
        taken = (f"{names[i]} = {self.values[i]} taken from {self.sources[i]}" for i in symbols)
        return f"{text}, with {', '.join(taken)}"


def _is_symbol(expression: AffineExpr) -> bool:
    return isinstance(expression, AffineSymExpr)
