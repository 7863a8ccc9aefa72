"""The rows of the comparison: programs of `examples/`, their sizes, and the work in them."""

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

import numpy as np
from example import Example  # pyright: ignore[reportMissingImports]

import teloom

LIBRARIES = "libraries"
"""The package with a file for each library."""


class Row(NamedTuple):
    """A program of `examples/` at some sizes."""

    program: str
    """Its module, and its name among a library's programs."""
    sizes: tuple[int, ...]
    operations: Callable[..., int] | None = None
    """Floating-point operations, of the sizes; None where memory is what takes the time."""

    @property
    def example(self) -> Example:
        return import_module(self.program).EXAMPLE

    @property
    def ragged(self) -> "Row":
        """The same, each extent one less."""
        return self._replace(sizes=tuple(size - 1 for size in self.sizes))

    def inputs(self) -> list[np.ndarray]:
        """The same arrays in every process, each from the begin of a line of the cache on."""
        return [*map(aligned, self.example.arrays(np.random.default_rng(0), *self.sizes))]


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy that begins at a multiple of 64 bytes."""
    copy = teloom.empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def product(m: int, n: int, k: int) -> int:
    return 2 * m * n * k


def convolution(height: int, width: int, channels: int) -> int:
    return 2 * 9 * height * width * channels**2


def depthwise(height: int, width: int, channels: int) -> int:
    return 2 * 9 * height * width * channels


def attention(heads: int, length: int, depth: int) -> int:
    return 4 * heads * length**2 * depth


ROWS = {
    "matmul 512": Row("matmul", (512, 512, 512), product),
    "matmul 1024": Row("matmul", (1024, 1024, 1024), product),
    "matmul 2048": Row("matmul", (2048, 2048, 2048), product),
    "matmul 197x3072x768": Row("matmul", (197, 3072, 768), product),
    "matmul, bias, relu 1024": Row("dense", (1024, 1024, 1024), product),
    "matrix x vector 4096": Row("gemv", (4096, 4096)),
    "blur 2560x1600": Row("blur", (1600, 2560)),
    "blur 2560x1600, uint16": Row("blur_integers", (1600, 2560)),
    "unsharp 2560x1536": Row("unsharp", (1536, 2560)),
    "Harris 2554x1530": Row("harris", (1530, 2554)),
    "convolution 56x56x64": Row("conv2d", (56, 56, 64), convolution),
    "convolution 14x14x256": Row("conv2d", (14, 14, 256), convolution),
    "depthwise 112x112x32": Row("depthwise", (112, 112, 32), depthwise),
    "softmax 4096x1024": Row("softmax", (4096, 1024)),
    "layer norm 4096x1024": Row("layer_norm", (4096, 1024)),
    "row sum 4096x4096": Row("row_sum", (4096, 4096)),
    "six operations 4194304": Row("six_ops", (4194304,)),
    "attention 12x512x64": Row("attention", (12, 512, 64), attention),
    "transpose 4096x4096": Row("transpose", (4096, 4096)),
}


PROGRAMS = list(dict.fromkeys(row.program for row in ROWS.values()))
"""The programs of the rows, which Teloom and NumPy have all."""


def traffic(inputs: list[np.ndarray], result: np.ndarray) -> int:
    """The bytes that a program reads and writes at least."""
    return sum(array.nbytes for array in (*inputs, result))
