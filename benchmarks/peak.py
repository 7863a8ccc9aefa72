"""What this machine can do at most: multiply and add numbers in registers, and move memory."""

import time
from collections.abc import Callable

import numpy as np
from example import HERE, LANES, ROWS, VECTORS  # pyright: ignore[reportMissingImports]

import teloom
from teloom import te

COLUMNS = VECTORS * LANES
STEPS, TILES = 256, 200

MEGABYTES = 64
"""Of an array that no cache holds."""

RUNS, ENOUGH = 30, 0.3
"""The most runs of a measurement, and the seconds after which there are no more."""


def least(run: Callable[[], object]) -> float:
    """The least seconds of some runs."""
    seconds: list[float] = []
    while len(seconds) < RUNS and sum(seconds) < ENOUGH:
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def operations_per_second() -> float:
    """Of float32, on one core: tiles of a matrix product whose factors are in the nearest cache."""
    A = te.placeholder((ROWS, STEPS), name="A")
    B = te.placeholder((STEPS, COLUMNS), name="B")
    r = te.reduce_axis((0, STEPS), "r")
    C = te.compute(
        (TILES, ROWS, COLUMNS), lambda t, i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C"
    )
    s = te.create_schedule(C)
    tile = s.cache_write(C, "global")
    s[C].vectorize(C.op.axis[2])
    s[tile].compute_at(s[C], C.op.axis[0])
    t, i, j = s[tile].op.axis
    s[tile].reorder(t, *s[tile].op.reduce_axis, i, j)
    s[tile].unroll(i)
    s[tile].vectorize(j)
    run = teloom.build(s, [A, B, C], HERE)
    a, b = np.ones((ROWS, STEPS), "float32"), np.ones((STEPS, COLUMNS), "float32")
    c = np.empty((TILES, ROWS, COLUMNS), "float32")
    return 2 * c.size * STEPS / least(lambda: run(a, b, c))


def bytes_per_second() -> float:
    """Read, or read and written, whichever is faster."""
    x = np.ones(MEGABYTES * 2**18, "float32")
    y = np.empty_like(x)
    return max(x.nbytes / least(x.max), 2 * x.nbytes / least(lambda: np.copyto(y, x)))
