"""The libraries beside which Teloom is measured, one file each.

A file has `VERSION`, and `PROGRAMS`: for the name of a program of `examples/` a function that
takes a `Task` and prepares a `Runner`. Nothing of the preparation is measured: compiling,
changing the layout of inputs.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Task(NamedTuple):
    """What is to be run."""

    inputs: list[np.ndarray]
    result: np.ndarray
    """Zeros where the result may be written, from the begin of a line of the cache on."""
    sizes: tuple[int, ...]
    threads: int


class Runner(NamedTuple):
    """A prepared program."""

    run: Callable[[], Any]
    """What is measured. It returns its result, or has written it into an array of its own."""
    read: Callable[[Any], np.ndarray] = np.asarray
    """The result that `run` has returned as NumPy's array, in the layout of the example."""


Program = Callable[[Task], Runner]
