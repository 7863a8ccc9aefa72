"""Recurrences over images, graphs and sequences."""

from math import exp

import numpy as np

from polybench.kernel import Kernel, Program, prange
from teloom import te

SMOOTHING = 0.25
K = (1 - exp(-SMOOTHING)) ** 2 / (1 + 2 * SMOOTHING * exp(-SMOOTHING) - exp(2 * SMOOTHING))
A1 = np.float32(K)
A2 = np.float32(K * exp(-SMOOTHING) * (SMOOTHING - 1))
A3 = np.float32(K * exp(-SMOOTHING) * (SMOOTHING + 1))
A4 = np.float32(-K * exp(-2 * SMOOTHING))
B1 = np.float32(2 ** (-SMOOTHING))
B2 = np.float32(-exp(-2 * SMOOTHING))
"""Deriche's coefficients: of the pixels forwards (A1, A2) and backwards, and of the results."""


def filtered(image: te.Tensor, length: int, width: int, name: str) -> te.Tensor:
    """Both filters along the first axis; `image(t, x)` is a pixel."""
    zero = te.const(0.0, "float32")

    def recurrence(pixels, suffix):
        state = te.placeholder((length, width), "float32", name=f"{name}{suffix}_state")
        first = te.compute((1, width), lambda t, x: pixels(t, x, zero), name=f"{name}{suffix}_0")

        def element(t, x):
            before = te.if_then_else(t > 1, state[t - 2, x], zero)
            return pixels(t, x, zero) + float(B1) * state[t - 1, x] + float(B2) * before

        following = te.compute((length, width), element, name=f"{name}{suffix}_next")
        return te.scan(first, following, state, name=f"{name}{suffix}")

    def ahead(t, x, zero):
        return float(A1) * image(t, x) + float(A2) * te.if_then_else(t > 0, image(t - 1, x), zero)

    def behind(t, x, zero):
        one = te.if_then_else(t > 0, image(length - t, x), zero)
        other = te.if_then_else(t > 1, image(length + 1 - t, x), zero)
        return float(A3) * one + float(A4) * other

    forwards, backwards = recurrence(ahead, "_f"), recurrence(behind, "_b")
    return lambda t, x: forwards[t, x] + backwards[length - 1 - t, x]


def deriche(w: int, h: int) -> Program:
    """Smooth an image by filters of the second order, along rows and then along columns."""
    image = te.placeholder((w, h), "float32", name="image")
    rows = filtered(lambda j, i: image[i, j], h, w, "row")
    middle = te.compute((w, h), lambda i, j: rows(j, i), name="middle")
    columns = filtered(lambda i, j: middle[i, j], w, h, "column")
    return [image], [te.compute((w, h), lambda i, j: columns(i, j), name="out")]


def deriche_loops(image, out):
    w, h = image.shape
    middle = np.empty_like(image)
    zero = np.float32(0)
    for i in prange(w):
        y1 = y2 = x1 = zero
        for j in range(h):
            y = A1 * image[i, j] + A2 * x1 + B1 * y1 + B2 * y2
            x1 = image[i, j]
            y1, y2 = y, y1
            middle[i, j] = y
        y1 = y2 = x1 = x2 = zero
        for j in range(h - 1, -1, -1):
            y = A3 * x1 + A4 * x2 + B1 * y1 + B2 * y2
            x1, x2 = image[i, j], x1
            y1, y2 = y, y1
            middle[i, j] += y
    back = np.empty_like(image)
    for part in prange(4):
        first, last = part * h // 4, (part + 1) * h // 4
        for i in range(w):
            for j in range(first, last):
                y = A1 * middle[i, j]
                if i > 0:
                    y += A2 * middle[i - 1, j] + B1 * out[i - 1, j]
                if i > 1:
                    y += B2 * out[i - 2, j]
                out[i, j] = y
        for i in range(w - 1, -1, -1):
            for j in range(first, last):
                y = zero
                if i < w - 1:
                    y += A3 * middle[i + 1, j] + B1 * back[i + 1, j]
                if i < w - 2:
                    y += A4 * middle[i + 2, j] + B2 * back[i + 2, j]
                back[i, j] = y
        for i in range(w):
            for j in range(first, last):
                out[i, j] += back[i, j]


def floyd_warshall(n: int) -> Program:
    """The shortest paths between all vertices: a step allows one more between others."""
    path = te.placeholder((n, n), "int32", name="path")
    state = te.placeholder((n + 1, n, n), "int32", name="state")
    first = te.compute((1, n, n), lambda k, i, j: path[i, j], name="first")
    following = te.compute(
        (n + 1, n, n),
        lambda k, i, j: te.min(state[k - 1, i, j], state[k - 1, i, k - 1] + state[k - 1, k - 1, j]),
        name="following",
    )
    paths = te.scan(first, following, state, name="paths")
    return [path], [te.compute((n, n), lambda i, j: paths[n, i, j], name="out")]


def floyd_warshall_loops(path, out):
    n = path.shape[0]
    out[:, :] = path
    for k in range(n):
        for i in prange(n):
            first = out[i, k]
            for j in range(n):
                out[i, j] = min(out[i, j], first + out[k, j])


def floyd_warshall_numpy(path):
    out = path.copy()
    for k in range(len(out)):
        np.minimum(out, out[:, k, None] + out[k], out=out)
    return out


def nussinov(n: int) -> Program:
    """The most pairs in the foldings of a sequence: of longer and longer parts of it.

    `pairs[d, i]` is that of the part from i to i + d.
    """
    bases = te.placeholder((n,), "int32", name="bases")
    state = te.placeholder((n, n), "int32", name="state")
    first = te.compute((1, n), lambda d, i: te.const(0, "int32"), name="first")

    def cut(d, i):
        m = te.reduce_axis((1, d), "m")
        return te.max(state[m, i] + state[d - m - 1, i + m + 1], axis=m, init=0)

    best = te.compute((n, n), cut, name="best", domain=lambda d, i: i + d < n)

    def element(d, i):
        pair = te.if_then_else(
            te.all(bases[i] + bases[i + d] <= 3, bases[i] + bases[i + d] >= 3), 1, 0
        )
        matched = te.if_then_else(d > 1, state[d - 2, i + 1] + pair, 0)
        found = te.max(te.max(state[d - 1, i], state[d - 1, i + 1]), te.max(matched, best[d, i]))
        return te.if_then_else(i + d < n, found, 0)

    following = te.compute((n, n), element, name="following")
    pairs = te.scan(first, following, state, name="pairs")
    table = te.compute(
        (n, n), lambda i, j: te.if_then_else(j > i, pairs[j - i, i], 0), name="table"
    )
    return [bases], [table]


def nussinov_loops(bases, table):
    n = bases.shape[0]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j])
            if i < j - 1:
                pair = 1 if bases[i] + bases[j] == 3 else 0
                best = max(best, table[i + 1, j - 1] + pair)
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best


def roads(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    return [rng.integers(1, 1000, (n, n)).astype("int32")]


KERNELS = {
    "deriche": Kernel(
        deriche,
        lambda rng, w, h: [rng.random((w, h), dtype="float32")],
        deriche_loops,
        (720, 480),
        (7, 9),
        rtol=1e-4,
    ),
    "floyd-warshall": Kernel(
        floyd_warshall, roads, floyd_warshall_loops, (400,), (9,), floyd_warshall_numpy
    ),
    "nussinov": Kernel(
        nussinov,
        lambda rng, n: [rng.integers(0, 4, n).astype("int32")],
        nussinov_loops,
        (500,),
        (11,),
    ),
}
