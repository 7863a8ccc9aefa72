"""What `stream_stores` gains: stores past the caches beside plain ones.

    python benchmarks/stores.py

Arrays begin on a line of the cache, or 16 bytes behind one, as large ones of NumPy do.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import teloom
from teloom import te

ROUNDS = 25
"""In a round each one is called once; the best round counts."""

Program = tuple[te.Tensor, te.Tensor, te.schedule.Schedule]


def add_one(n: int = 1 << 24) -> Program:
    """B = A + 1."""
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1, name="B")
    s = te.create_schedule(B)
    _, inner = s[B].split(B.op.axis[0], 64)
    s[B].vectorize(inner)
    return A, B, s


def blur(height: int = 1600, width: int = 2560) -> Program:
    """Means of three neighbours, in tiles."""
    A = te.placeholder((height + 2, width + 2), name="A")
    bx = te.compute((height + 2, width), lambda y, x: A[y, x] + A[y, x + 1] + A[y, x + 2], "bx")
    by = te.compute(
        (height, width), lambda y, x: (bx[y, x] + bx[y + 1, x] + bx[y + 2, x]) * (1 / 9), "by"
    )
    s = te.create_schedule(by)
    _, outer, _, inner = s[by].tile(*by.op.axis, 32, 256)
    s[bx].compute_at(s[by], outer)
    s[bx].vectorize(bx.op.axis[1])
    s[by].vectorize(inner)
    return A, by, s


def centred(rows: int = 8192, columns: int = 1024) -> Program:
    """Rows without their mean, of which 16 partial sums are vectors."""
    A = te.placeholder((rows, columns), name="A")
    r, k = te.reduce_axis((0, columns // 16), "r"), te.reduce_axis((0, 16), "k")
    parts = te.compute((rows, 16), lambda i, p: te.sum(A[i, r * 16 + p], axis=r), "parts")
    total = te.compute((rows,), lambda i: te.sum(parts[i, k], axis=k), "total")
    B = te.compute((rows, columns), lambda i, j: A[i, j] - total[i] * (1 / columns), "B")
    s = te.create_schedule(B)
    for stage in (parts, total):
        s[stage].compute_at(s[B], B.op.axis[0])
    s[parts].reorder(r, parts.op.axis[1])
    s[parts].vectorize(parts.op.axis[1])
    s[B].vectorize(B.op.axis[1])
    return A, B, s


PROGRAMS: dict[str, Callable[..., Program]] = {
    "add one, 64 MB": add_one,
    "blur 2560x1600": blur,
    "8192 rows without mean": centred,
}


def built(program: Program, streamed: bool) -> Any:
    """The function of a program."""
    A, B, s = program
    if streamed:
        s[B].stream_stores()
    return teloom.build(s, [A, B], name="f")


def behind(offset: int, shape: tuple[int, ...]) -> np.ndarray:
    """Zeros that begin so many bytes behind a line of the cache."""
    count = int(np.prod(shape))
    return teloom.zeros(count + 16)[offset // 4 :][:count].reshape(shape)


def shapes(program: Program) -> list[tuple[int, ...]]:
    """The shapes of what a program reads and writes."""
    return [tuple(int(str(extent)) for extent in tensor.shape) for tensor in program[:2]]


def main() -> None:
    print(f"best of {ROUNDS}, in ms             plain   streamed   plain, 16 behind   streamed")
    for name, make in PROGRAMS.items():
        functions = [built(make(), streamed) for streamed in (False, True)]
        calls = [
            (f, [behind(offset, shape) for shape in shapes(make())])
            for offset in (0, 16)
            for f in functions
        ]
        best = [float("inf")] * len(calls)
        for _ in range(ROUNDS):
            for number, (f, arrays) in enumerate(calls):
                start = perf_counter()
                f(*arrays)
                best[number] = min(best[number], perf_counter() - start)
        numbers = zip((8, 11, 19, 11), best, strict=True)
        print(f"{name:<24}" + "".join(f"{seconds * 1e3:{width}.2f}" for width, seconds in numbers))


if __name__ == "__main__":
    main()
