"""Random numbers of a distribution, from the words of a generator; see `threefry_generate`."""

from __future__ import annotations

import math
from typing import Any

from teloom import te
from teloom.topi.arguments import a_number, a_tensor, an_integer, one_of, shown, wrong
from teloom.topi.dtypes import of_kind
from teloom.topi.elementwise import computed
from teloom.topi.extents import as_extents
from teloom.topi.random.generator import threefry_generate
from teloom.topi.scan import cumsum
from teloom.topi.sorting import searchsorted

FRACTIONS = {"float32": 23, "float64": 52}
"""How many bits of a word are those behind the point of a float."""


def _parameter(name: str, argument: str, value: Any, dtype: str) -> Any:
    """A number, or the element of a tensor without axes."""
    if isinstance(value, te.Tensor):
        tensor = of_kind(name, argument, a_tensor(name, argument, value, 0), "float")
        return tensor().astype(dtype)
    return a_number(name, argument, value, dtype)


def _fractions(name: str, gen: te.Tensor, shape: Any, dtype: str) -> tuple[te.Tensor, te.Tensor]:
    """The next state, and numbers from 0 up to, not including, 1."""
    bits = FRACTIONS[one_of(name, "out_dtype", dtype, tuple(FRACTIONS))]
    state, words = threefry_generate(gen, shape)

    def value(*at: Any) -> Any:
        return (words(*at) >> (64 - bits)).astype(dtype) * te.const(2.0**-bits, dtype)

    return state, computed(name, words.shape, value, name="fractions")


def uniform(gen: te.Tensor, low: Any, high: Any, out_shape: Any, out_dtype: Any) -> list[te.Tensor]:
    """The next state, and numbers from `low` up to, not including, `high`, all as likely.

    `low` and `high` are numbers, or tensors without axes; `out_dtype` is float32 or float64.

    >>> uniform(te.placeholder((10,), "uint64", name="gen"), 0.0, 1.0, (8, 4), "float32")[1]
    Tensor(shape=[8, 4], dtype=float32, name=uniform)
    """
    name, dtype = "random.uniform", str(out_dtype)
    state, fractions = _fractions(name, gen, out_shape, dtype)
    begin, end = (
        _parameter(name, argument, one, dtype) for argument, one in (("low", low), ("high", high))
    )

    def value(*at: Any) -> Any:
        # A number that is rounded to the end would be one of the next period: its begin.
        found = fractions(*at) * (end - begin) + begin
        return te.select(found == end, begin, found)

    return [state, computed(name, fractions.shape, value)]


def normal(
    gen: te.Tensor, mean: Any, scale: Any, out_shape: Any, out_dtype: Any
) -> list[te.Tensor]:
    """The next state, and numbers of the normal distribution with `mean` and deviation `scale`.

    These are numbers, or tensors without axes; `out_dtype` is float32 or float64. Source: Box and
    Muller, "A note on the generation of random normal deviates", 1958, with the sine of each pair.

    >>> normal(te.placeholder((10,), "uint64", name="gen"), 0.0, 1.0, (8, 4), "float64")[1]
    Tensor(shape=[8, 4], dtype=float64, name=normal)
    """
    name, dtype = "random.normal", str(out_dtype)
    shape = as_extents(name, "out_shape", out_shape)
    state, fractions = _fractions(name, gen, [2, *shape], dtype)
    middle, deviation = (
        _parameter(name, argument, one, dtype)
        for argument, one in (("mean", mean), ("scale", scale))
    )

    def value(*at: Any) -> Any:
        distance = te.sqrt(te.log(1 - fractions(0, *at)) * -2)
        angle = fractions(1, *at) * (2 * math.pi)
        return distance * te.sin(angle) * deviation + middle

    return [state, computed(name, shape, value)]


def multinomial(gen: te.Tensor, probs: te.Tensor, num_samples: int) -> list[te.Tensor]:
    """The next state, and `num_samples` positions on the last axis of `probs`, as int32.

    A position is as likely as its number among `probs`, over the sum of all, which are at least 0
    and not all 0. The result has the other axes of `probs`, and then the samples.

    >>> gen, p = te.placeholder((10,), "uint64", name="gen"), te.placeholder((3, 5), name="p")
    >>> multinomial(gen, p, 100)[1]
    Tensor(shape=[3, 100], dtype=int32, name=multinomial)
    """
    name = "random.multinomial"
    of_kind(name, "probs", a_tensor(name, "probs", probs), "float")
    if not probs.ndim or not isinstance(probs.shape[-1], int) or probs.shape[-1] < 1:
        raise wrong(name, "probs", f"is {shown(probs)}, whose last axis has no constant extent")
    count = an_integer(name, "num_samples", num_samples, 0)
    last = probs.shape[-1] - 1
    dtype = "float64" if probs.dtype == "float64" else "float32"
    sums = cumsum(probs, -1, dtype)
    state, fractions = _fractions(name, gen, [*probs.shape[:-1], count], dtype)

    def level(*at: Any) -> Any:
        return fractions(*at) * sums(*at[:-1], last)

    levels = computed(name, fractions.shape, level, name="levels")
    found = searchsorted(sums, levels, True, "int32")
    return [state, computed(name, found.shape, lambda *at: te.min(found(*at), last))]
