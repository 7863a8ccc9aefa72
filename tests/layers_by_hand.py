"""Layers in plain NumPy, and arrays for them."""

import itertools
from typing import Any

import numpy as np

from teloom import te

RNG = np.random.default_rng(0)


def normal(*shape, dtype="float32"):
    return RNG.normal(size=shape).astype(dtype)


def tensor(array, name):
    return te.placeholder(array.shape, array.dtype, name)


class Arrays(dict[te.Tensor, np.ndarray]):
    """The arrays of placeholders, which it makes: one for an array."""

    def __call__(self, array: np.ndarray) -> te.Tensor:
        made = tensor(array, f"in{len(self)}")
        self[made] = array.copy()
        return made


def taps(x, sizes, strides, pads, dilations, fill=0.0, more=0):
    """Each tap, with the elements of all windows there; x is NC and the spatial axes.

    `more` are the positions behind the padding on which a window may lie, too.
    """
    count = len(sizes)
    widths = [(0, 0), (0, 0), *((pads[k], pads[count + k] + more) for k in range(count))]
    padded = np.pad(x, widths, constant_values=fill)
    numbers = [
        (extent - (size - 1) * d - 1) // s + 1
        for extent, size, s, d in zip(padded.shape[2:], sizes, strides, dilations, strict=True)
    ]
    for tap in itertools.product(*map(range, sizes)):
        places = [
            slice(k * d, k * d + (n - 1) * s + 1, s)
            for k, d, n, s in zip(tap, dilations, numbers, strides, strict=True)
        ]
        yield tap, padded[(slice(None), slice(None), *places)]


def convolved(x: Any, w: Any, strides: Any = 1, pads: Any = 0, dilations: Any = 1, groups=1) -> Any:
    """x is NC and the spatial axes, w is OI and these."""
    count = x.ndim - 2
    strides, dilations = (np.broadcast_to(one, count).tolist() for one in (strides, dilations))
    pads = np.broadcast_to(pads, 2 * count).tolist()
    result: Any = 0
    for tap, here in taps(x, w.shape[2:], strides, pads, dilations):
        parts = zip(np.split(here, groups, 1), np.split(w[(..., *tap)], groups, 0), strict=True)
        result += np.concatenate([np.einsum("nc...,oc->no...", *one) for one in parts], 1)
    return result


def pooled(x, sizes, strides, pads, dilations, kind, ceil_mode=False, count_all=True):
    count = x.ndim - 2
    sizes, strides, dilations = (
        np.broadcast_to(one, count).tolist() for one in (sizes, strides, dilations)
    )
    pads = np.broadcast_to(pads, 2 * count).tolist()
    more = max(strides) - 1 if ceil_mode else 0

    def of(array, fill, pads=pads):
        found = taps(array, sizes, strides, pads, dilations, fill, more)
        return np.stack([here for _, here in found])

    if kind == "max":
        return of(x, -np.inf).max(0)
    around = [(0, 0), (0, 0), *zip(pads[:count], pads[count:], strict=True)]
    counted = of(np.pad(np.ones_like(x), around, constant_values=1), 0, [0] * 2 * count)
    counted = counted if count_all else of(np.ones_like(x), 0)
    return of(x, 0).sum(0) / np.maximum(counted.sum(0), 1)


def derivative(function, x, head, step=1e-4):
    """Of the sum of `head` times `function(x)`, by differences."""
    found = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        moved = np.zeros(x.shape)
        moved[at] = step
        found[at] = ((function(x + moved) - function(x - moved)) * head).sum() / (2 * step)
    return found
