"""A 3x3 box blur in two stages, horizontal then vertical, tile by tile.

The first stage is computed at a tile of the second, so that what lies between them
never travels through memory, as NumPy's does. With its rows unrolled, most of it stays
in registers.

    python examples/blur.py --size 1600x2560
"""

import argparse

import numpy as np

import teloom
from teloom import te
from teloom.tools.timing import time_in_turns

TILE = 8, 128
"""Rows and columns of a tile: with its border it takes 5 KiB, little of the nearest cache."""


def blur(height: int, width: int) -> tuple[te.Schedule, list[te.Tensor]]:
    """The scheduled blur, and its arguments: A, with a border of one pixel, and by."""
    A = te.placeholder((height + 2, width + 2), "float32", name="A")
    third = te.const(1 / 3, "float32")
    bx = te.compute(
        (height + 2, width),
        lambda y, x: (A[y, x] + A[y, x + 1] + A[y, x + 2]) * third,
        name="bx",
    )
    by = te.compute(
        (height, width),
        lambda y, x: (bx[y, x] + bx[y + 1, x] + bx[y + 2, x]) * third,
        name="by",
    )

    s = te.create_schedule(by)
    y_outer, x_outer, y_inner, x_inner = s[by].tile(*by.op.axis, *TILE)
    s[by].parallel(y_outer)
    s[by].unroll(y_inner)
    s[by].vectorize(x_inner)
    s[bx].compute_at(s[by], x_outer)
    y, x = bx.op.axis
    s[bx].unroll(y)
    s[bx].vectorize(x)
    return s, [A, by]


def blur_numpy(a: np.ndarray) -> np.ndarray:
    """The same with slices of NumPy arrays."""
    third = np.float32(1 / 3)
    bx = (a[:, :-2] + a[:, 1:-1] + a[:, 2:]) * third
    return (bx[:-2] + bx[1:-1] + bx[2:]) * third


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Blurs random pixels.")
    parser.add_argument(
        "--size", default="1600x2560", metavar="HxW", help="rows x columns (default: 1600x2560)"
    )
    height, width = map(int, parser.parse_args(arguments).size.split("x"))
    s, tensors = blur(height, width)
    run = teloom.build(s, tensors, name="blur")
    print(run.source("loop"))

    a = np.random.default_rng(0).random((height + 2, width + 2), dtype="float32")
    out = np.empty((height, width), "float32")
    run(a, out)
    # Two additions and a product, twice, each rounded to float32.
    np.testing.assert_allclose(out, blur_numpy(a), rtol=1e-6)
    print("\nagrees with NumPy")

    times = time_in_turns({"teloom": lambda: run(a, out), "numpy": lambda: blur_numpy(a)}, 20)
    for name, time in times.items():
        print(f"{name}: {time.best * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
