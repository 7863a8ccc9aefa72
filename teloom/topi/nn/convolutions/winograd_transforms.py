"""Transforms of Winograd convolutions: products with small matrices, without their zeros."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from teloom import te
from teloom.topi.elementwise import computed
from teloom.topi.nn.convolutions.winograd_matrices import Rows
from teloom.topi.tag import WINOGRAD_LINES, WINOGRAD_TRANSFORM

Element = Callable[..., Any]
"""What is at a position."""


def lines(
    name: str, data: Element, shape: Sequence[Any], count: int, rows: Rows, dtype: Any
) -> tuple[Element, list[Any]]:
    """Stages of `along` for the first `count` axes of data of this shape, and their shape."""
    made = [*shape]
    for axis in range(count):
        made[axis] = len(rows)
        element = along(data, axis, rows, dtype)
        data = computed(f"{name}_along_{axis}", made, element, WINOGRAD_LINES)
    return data, made


def transformed(
    name: str, data: Element, shape: Sequence[Any], count: int, rows: Rows, dtype: Any
) -> te.Tensor:
    """The products of `rows` with the lines of data of this shape along its first `count` axes."""
    inner, made = lines(name, data, shape, count - 1, rows, dtype)
    made[count - 1] = len(rows)
    return computed(name, made, along(inner, count - 1, rows, dtype), WINOGRAD_TRANSFORM)


def along(data: Element, axis: int, rows: Rows, dtype: Any) -> Element:
    """The products of `rows` with the lines of data along an axis: a sum for each row.

    What an element or a multiple of it is counts once, for all rows: where their loop is unrolled,
    each comparison with its counter is constant.
    """

    def value(*at: Any) -> Any:
        @cache
        def multiple(k: int, factor: Fraction) -> Any:
            if factor == 1:
                return data(*at[:axis], k, *at[axis + 1 :]).astype(dtype)
            return multiple(k, Fraction(1)) * te.const(float(factor), dtype)

        found, *others = (_sum(row, multiple, dtype) for row in reversed(rows))
        for number, row in enumerate(others, 2):
            found = te.select(at[axis] == len(rows) - number, row, found)
        return found

    return value


def _sum(row: Sequence[Fraction], multiple: Callable[[int, Fraction], Any], dtype: Any) -> Any:
    """The sum of multiples of elements: those by 0 are not read."""
    found = None
    for k, factor in sorted(enumerate(row), key=lambda one: one[1] < 0):
        if factor:
            part = multiple(k, abs(factor))
            if found is None:
                found = part if factor > 0 else -part
            else:
                found = found + part if factor > 0 else found - part
    return te.const(0, dtype) if found is None else found
