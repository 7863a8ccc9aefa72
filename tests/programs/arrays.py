"""Arrays for calls of kernels: random inputs, outputs with fences, and how far results may be."""

from collections.abc import Sequence

import numpy as np

from teloom.backend.call.kernel import Kernel

FENCE = 64
"""Elements before and after an output that nobody may write."""


def random_array(shape: Sequence[int], dtype: str, seed: int = 0) -> np.ndarray:
    """Floats in -1..1; integers from all of their range, so that arithmetic wraps around."""
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return rng.uniform(-1, 1, shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def call(kernel: Kernel, *values: object) -> list[np.ndarray]:
    """Calls a kernel with sizes, inputs, and for each output an array like it; gives the outputs.

    Every value after the last input is given as `like(expected)`. Inputs stay as they are, and
    nothing beside the outputs is written.
    """
    inputs = [value for value in values if isinstance(value, np.ndarray)]
    before = [array.copy() for array in inputs]
    fenced = [_fenced(value.expected) for value in values if isinstance(value, like)]
    outputs = iter(fenced)
    given = [next(outputs)[1] if isinstance(value, like) else value for value in values]
    kernel(*given)
    for array, copy in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    for whole, part in fenced:
        written = np.ones(whole.shape, bool)
        written[FENCE : FENCE + part.size] = False
        assert (whole.view(np.uint8).reshape(whole.size, -1)[written] == MARK).all()
    return [part for _, part in fenced]


class like:
    """Stands for an output with the shape and dtype of an expected array."""

    def __init__(self, expected: np.ndarray):
        self.expected = expected


MARK = 0xA5


def _fenced(expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    whole = np.empty(expected.size + 2 * FENCE, expected.dtype)
    whole.view(np.uint8)[:] = MARK
    return whole, whole[FENCE : FENCE + expected.size].reshape(expected.shape)


def assert_agrees(
    found: np.ndarray, expected: np.ndarray, roundings: int = 0, magnitude: float = 1.0
) -> None:
    """Integers are equal; floats differ by at most `roundings` ulps of `magnitude`.

    `roundings` is how often a result is rounded on the way, by us or by NumPy;
    `magnitude` bounds the values that are rounded.
    """
    assert found.dtype == expected.dtype
    if found.dtype.kind != "f" or not roundings:
        np.testing.assert_array_equal(found, expected)
        return
    error = roundings * float(np.finfo(found.dtype).eps) * magnitude
    np.testing.assert_allclose(found, expected, rtol=0, atol=error)
