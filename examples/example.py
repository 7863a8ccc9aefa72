"""What the examples share: a program beside NumPy's, checked and timed."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import teloom
from teloom import te
from teloom.tools.timing import time_in_turns

Program = tuple[te.Schedule, list[te.Tensor]]
"""A schedule, and its arguments: inputs, then the output."""

HERE = teloom.target("native")
"""The machine whose registers the tiles fit."""

LANES = HERE.vector_bytes // 4
"""Floats in a vector."""

VECTORS = max(1, HERE.vector_registers // 8)
"""Vectors in a row of the tile of a matrix product."""

ROWS = (HERE.vector_registers - 1 - VECTORS) // VECTORS
"""Rows of that tile: with a row of the other factor and one number, it fills the registers."""


class Example(NamedTuple):
    """A program of some sizes, and NumPy's function of the same arrays."""

    program: Callable[..., Program]
    arrays: Callable[..., list[np.ndarray]]
    """The inputs, for a random generator and the sizes."""
    numpy: Callable[..., np.ndarray]
    sizes: tuple[int, ...]
    rtol: float
    """What results may differ by, relative to the largest of them."""
    math: str = "default"
    """How exact its elementary functions are."""

    def build(self, *sizes: Any):
        """The program of these sizes, for this machine."""
        return teloom.build(*self.program(*sizes), HERE, math=self.math)


def random(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Floats from -1 to 1."""
    return rng.random(shape, dtype="float32") * 2 - 1


def check(example: Example, result: np.ndarray, expected: np.ndarray) -> None:
    """Fails where `result` is not NumPy's, but for roundings."""
    largest = float(np.max(np.abs(expected.astype("float64")), initial=0))
    np.testing.assert_allclose(result, expected, rtol=example.rtol, atol=example.rtol * largest)


def main(example: Example, arguments: Sequence[str] | None = None) -> None:
    """Prints the loops of an example, compares it with NumPy, and times both."""
    usual = "x".join(map(str, example.sizes))
    parser = argparse.ArgumentParser(description=example.program.__doc__)
    parser.add_argument("--size", default=usual, metavar=usual, help="the sizes of the program")
    sizes = [int(size) for size in parser.parse_args(arguments).size.split("x")]
    if len(sizes) != len(example.sizes):
        parser.error(f"{len(sizes)} sizes, expected {len(example.sizes)}, such as {usual}")
    run = example.build(*sizes)
    print(run.source("loop"))

    inputs = example.arrays(np.random.default_rng(0), *sizes)
    expected = example.numpy(*inputs)
    result = np.empty_like(expected)
    run(*inputs, result)
    check(example, result, expected)
    print("\nagrees with NumPy")

    programs = {"teloom": lambda: run(*inputs, result), "numpy": lambda: example.numpy(*inputs)}
    for name, time in time_in_turns(programs, rounds=20).items():
        print(f"{name}: {time.best * 1e3:.2f} ms")
    print("NumPy's products use all cores; OPENBLAS_NUM_THREADS=1 compares one with one.")
