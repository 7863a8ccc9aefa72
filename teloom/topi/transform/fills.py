"""Tensors of numbers that follow from their positions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from teloom import te
from teloom.topi.arguments import (
    a_dtype,
    a_flag,
    a_number,
    a_place,
    a_tensor,
    one_of,
    tensors,
    wrong,
)
from teloom.topi.dtypes import is_float
from teloom.topi.elementwise import applied, computed
from teloom.topi.extents import as_extents
from teloom.topi.tag import BROADCAST, INJECTIVE


def full(shape: object, dtype: object, fill_value: Any) -> te.Tensor:
    """A tensor all of whose elements are `fill_value`, a number or an expression of sizes.

    >>> full((8, 4), "int8", 7)
    Tensor(shape=[8, 4], dtype=int8, name=full)
    """
    value = a_number("full", "fill_value", fill_value, a_dtype("full", dtype))
    return computed("full", as_extents("full", "shape", shape), lambda *i: value)


def full_like(x: te.Tensor, fill_value: Any) -> te.Tensor:
    """A tensor of the shape and dtype of `x`, all of whose elements are `fill_value`.

    >>> full_like(te.placeholder((8, 4), name="A"), 0.5)
    Tensor(shape=[8, 4], dtype=float32, name=full_like)
    """
    dtype = a_tensor("full_like", "x", x).dtype
    value = a_number("full_like", "fill_value", fill_value, dtype)
    return computed("full_like", x.shape, lambda *i: value)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = "float32") -> te.Tensor:
    """The numbers from `start` up to, not including, `stop`, by `step`, as NumPy's arange.

    With one argument, they are those from 0 up to it. How many there are is known now, or is an
    expression of sizes if all are integers and `step` is a constant above 0.

    >>> arange(1, te.var("n"), 3)
    Tensor(shape=[(((n - 1) + 2) // 3)], dtype=float32, name=arange)
    """
    first, last = (0, start) if stop is None else (start, stop)
    kept = dtype if isinstance(dtype, str) else str(dtype)
    exact = "float64" if is_float(kept) else kept

    begin, by = (
        a_number("arange", argument, one, exact)
        for argument, one in (("start", first), ("step", step))
    )

    def value(i: Any) -> Any:
        return (begin + i.astype(exact) * by).astype(dtype)

    return computed("arange", (_count(first, last, step),), value, INJECTIVE)


def _place(argument: str, value: Any) -> Any:
    if not isinstance(value, float):
        return a_place("arange", argument, value)
    if not math.isfinite(value):
        raise wrong("arange", argument, f"is {value}")
    return value


def _count(first: Any, last: Any, step: Any) -> Any:
    given = {"start": first, "stop": last, "step": step}
    first, last, step = (_place(argument, one) for argument, one in given.items())
    if all(isinstance(one, int | float) for one in (first, last, step)):
        if step == 0:
            raise wrong("arange", "step", "is 0")
        return max(0, math.ceil((last - first) / step))
    if not isinstance(step, int) or step <= 0:
        raise wrong("arange", "step", f"is {step}; with sizes it is a constant integer above 0")
    return (last - first + (step - 1)) // step


def meshgrid(a_tuple: Sequence[te.Tensor], indexing: str) -> list[te.Tensor]:
    """The coordinates of a grid of tensors with one axis, or none, as NumPy's meshgrid.

    `indexing` is "ij", or "xy", in which the first two axes are exchanged.

    >>> x, y = te.placeholder((3,), name="x"), te.placeholder((2,), name="y")
    >>> meshgrid([x, y], "xy")[0]
    Tensor(shape=[2, 3], dtype=float32, name=meshgrid)
    """
    name = "meshgrid"
    given = tensors(name, "a_tuple", a_tuple)
    one_of(name, "indexing", indexing, ("ij", "xy"))
    for number, one in enumerate(given):
        if one.ndim > 1:
            a_tensor(name, f"a_tuple[{number}]", one, 1)
    order = list(range(len(given)))
    if indexing == "xy" and len(given) > 1:
        order[:2] = [1, 0]
    shape = [given[k].shape[0] if given[k].ndim else 1 for k in order]
    return [
        computed(name, shape, lambda *i, one=one, k=order[k]: one(*[i[k]][: one.ndim]), BROADCAST)
        for k, one in enumerate(given)
    ]


def trilu(data: te.Tensor, k: Any, upper: bool) -> te.Tensor:
    """The upper or the lower triangle of the last two axes, on and beyond diagonal `k`; else 0.

    `k` is an integer, an expression of sizes, or a tensor without axes; as ONNX's Trilu.

    >>> trilu(te.placeholder((4, 4), name="A"), 0, upper=False)
    Tensor(shape=[4, 4], dtype=float32, name=trilu)
    """
    if a_tensor("trilu", "data", data).ndim < 2:
        a_tensor("trilu", "data", data, 2)
    is_tensor, upper = isinstance(k, te.Tensor), a_flag("trilu", "upper", upper)
    diagonal = a_tensor("trilu", "k", k, 0)() if is_tensor else a_place("trilu", "k", k)

    def value(*indices: Any) -> Any:
        row, column = indices[-2:]
        kept = column >= row + diagonal if upper else column <= row + diagonal
        return te.if_then_else(kept, data(*indices), te.const(0, data.dtype))

    return computed("trilu", data.shape, value, INJECTIVE)


def elemwise_sum(xs: object) -> te.Tensor:
    """The sum of tensors of one shape, element by element.

    >>> A = te.placeholder((8,), name="A")
    >>> elemwise_sum([A, A, A])
    Tensor(shape=[8], dtype=float32, name=elemwise_sum)
    """
    name = "elemwise_sum"
    given = tensors(name, "xs", xs)
    for number, one in enumerate(given):
        if not te.same_extents(one.shape, given[0].shape):
            problem = f"has the shape {one.shape}, but xs[0] has {given[0].shape}"
            raise wrong(name, f"xs[{number}]", problem)

    def sum_of(first: Any, *others: Any) -> Any:
        for other in others:
            first = first + other
        return first

    return applied(name, sum_of, *given)
