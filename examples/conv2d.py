"""A 3x3 convolution with stride 2 and a border of zeros, tiled like a matrix product.

The border is a stage of its own, computed for the rows that a row of the result reads.
A tile of pixels by channels stays in registers for all of the sum.

    python examples/conv2d.py --size 56x56 --channels 64
"""

import argparse

import numpy as np

import teloom
from teloom import te
from teloom.tools.timing import time_in_turns

WINDOW = 3
STRIDE = 2
PIXELS, CHANNELS = 7, 32
"""The tile in registers: pixels of one row by channels."""


def conv2d(height: int, width: int, channels: int) -> tuple[te.Schedule, list[te.Tensor]]:
    """The scheduled convolution, and its arguments: A (y, x, c), W (dy, dx, c, k), C (y, x, k)."""
    A = te.placeholder((height, width, channels), "float32", name="A")
    W = te.placeholder((WINDOW, WINDOW, channels, channels), "float32", name="W")
    border = WINDOW // 2

    def bordered(y, x, c):
        inside = te.all(y >= border, y < height + border, x >= border, x < width + border)
        return te.if_then_else(inside, A[y - border, x - border, c], te.const(0, "float32"))

    padded = te.compute(
        (height + 2 * border, width + 2 * border, channels), bordered, name="padded"
    )
    dy, dx = te.reduce_axis((0, WINDOW), "dy"), te.reduce_axis((0, WINDOW), "dx")
    c = te.reduce_axis((0, channels), "c")
    shape = -(-height // STRIDE), -(-width // STRIDE), channels
    product = te.compute(
        shape,
        lambda y, x, k: te.sum(
            padded[y * STRIDE + dy, x * STRIDE + dx, c] * W[dy, dx, c, k], axis=[dy, dx, c]
        ),
        name="product",
    )
    C = te.compute(shape, lambda y, x, k: product[y, x, k], name="C")

    s = te.create_schedule(C)
    y, x, k = C.op.axis
    x_outer, k_outer, x_inner, k_inner = s[C].tile(x, k, PIXELS, CHANNELS)
    s[C].reorder(y, k_outer, x_outer, x_inner, k_inner)
    s[C].parallel(y)
    s[C].unroll(x_inner)
    s[C].vectorize(k_inner)
    s[padded].compute_at(s[C], y)
    s[padded].vectorize(padded.op.axis[2])
    s[product].compute_at(s[C], x_outer)
    y, x, k = product.op.axis
    s[product].reorder(y, dy, dx, c, x, k)
    s[product].unroll(x)
    s[product].vectorize(k)
    return s, [A, W, C]


def conv2d_numpy(a: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The same as one matrix product per place in the window."""
    height, width, channels = a.shape
    border = WINDOW // 2
    padded = np.pad(a, ((border, border), (border, border), (0, 0)))
    result = np.zeros((-(-height // STRIDE), -(-width // STRIDE), channels), "float32")
    for dy in range(WINDOW):
        for dx in range(WINDOW):
            result += padded[dy : dy + height : STRIDE, dx : dx + width : STRIDE] @ w[dy, dx]
    return result


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Convolves random pixels.")
    parser.add_argument(
        "--size", default="56x56", metavar="HxW", help="rows x columns (default: 56x56)"
    )
    parser.add_argument("--channels", type=int, default=64, help="in and out (default: 64)")
    options = parser.parse_args(arguments)
    height, width = map(int, options.size.split("x"))
    s, tensors = conv2d(height, width, options.channels)
    run = teloom.build(s, tensors, name="conv2d")
    print(run.source("loop"))

    rng = np.random.default_rng(0)
    a = rng.random((height, width, options.channels), dtype="float32")
    w = rng.random((WINDOW, WINDOW, options.channels, options.channels), dtype="float32")
    expected = conv2d_numpy(a, w)
    c = np.empty_like(expected)
    run(a, w, c)
    # Sums of float32 differ by their order.
    np.testing.assert_allclose(c, expected, rtol=1e-4)
    print("\nagrees with NumPy")

    times = time_in_turns({"teloom": lambda: run(a, w, c), "numpy": lambda: conv2d_numpy(a, w)}, 20)
    for name, time in times.items():
        print(f"{name}: {time.best * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
