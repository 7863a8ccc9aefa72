"""What a kernel is: a program of tensor expressions, and the same as loops and for NumPy."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from teloom import te

try:
    from numba import prange
except ImportError:
    prange = range

__all__ = ["Kernel", "Program", "matrices", "prange"]

Program = tuple[list[te.Tensor], list[te.Tensor]]
"""Inputs, and outputs."""


class Kernel(NamedTuple):
    """A kernel of PolyBench/C 4.2, from its mathematical definition.

    `loops` is called with the inputs and then the outputs, which begin as zeros; `prange` are the
    loops that numba may run on threads. `numpy` returns the outputs, one or a tuple.
    """

    program: Callable[..., Program]
    arrays: Callable[..., list[np.ndarray]]
    """The inputs, for a random generator and the sizes."""
    loops: Callable[..., None]
    sizes: tuple[int, ...]
    """Those that are timed."""
    small: tuple[int, ...]
    """Those that are tested."""
    numpy: Callable[..., object] | None = None
    """None where NumPy has no better than loops in Python."""
    rtol: float = 1e-9
    """What results may differ by, relative to the largest of them."""
    steps: bool = False
    """Whether the first size is a number of steps: then `loops` and `numpy` get it first."""

    def arguments(self, sizes: Sequence[int], inputs: Sequence[np.ndarray]) -> list[object]:
        """What `loops` and `numpy` are called with."""
        return [*sizes[: int(self.steps)], *inputs]


def matrices(*shapes: Callable[..., tuple[int, ...]]) -> Callable[..., list[np.ndarray]]:
    """Arrays of float64 from 0 to 1, whose shapes follow from the sizes."""

    def arrays(rng: np.random.Generator, *sizes: int) -> list[np.ndarray]:
        return [rng.random(shape(*sizes)) for shape in shapes]

    return arrays
