"""How long a call takes besides its work: adding 16 numbers.

    python benchmarks/calls.py

Beside NumPy's `add`, a Python function that does nothing, and numba where it is installed.
"""

import importlib.util
from collections.abc import Callable
from timeit import Timer
from typing import Any

import numpy as np

import teloom
from teloom import te

ROUNDS, CALLS = 300, 2000
"""In a round each one is called so often, one after the other; the best round counts."""

N = 16


def teloom_add() -> Any:
    """C = A + B."""
    A, B = (te.placeholder((N,), name=name) for name in "AB")
    C = te.compute((N,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C)
    s[C].vectorize(C.op.axis[0])
    return teloom.build(s, [A, B, C], name="add")


def numba_add() -> Callable[..., None] | None:
    """The same by numba, if it is installed."""
    if importlib.util.find_spec("numba") is None:
        return None

    def add(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
        for i in range(N):
            c[i] = a[i] + b[i]

    return importlib.import_module("numba").njit(add)


def timers() -> dict[str, Timer]:
    """What is measured, by name. Each has been called, and has added."""
    a, b = np.arange(N, dtype="float32"), np.ones(N, "float32")
    f, numba = teloom_add(), numba_add()
    added: dict[str, Callable[..., object]] = {"teloom": f, "numpy": np.add}
    if numba is not None:
        added["numba"] = numba
    found: dict[str, Timer] = {}
    for name, add in added.items():
        for _ in range(3):
            add(a, b, c := np.zeros(N, "float32"))
            np.testing.assert_array_equal(c, a + b)
        found[name] = Timer("f(a, b, c)", globals={"f": add, "a": a, "b": b, "c": c})
    c = np.zeros(N, "float32")
    found["teloom, bound"] = Timer("f()", globals={"f": f.bind(a, b, c)})
    values = {"f": lambda a, b, c: None, "a": a, "b": b, "c": c}
    found["nothing, in Python"] = Timer("f(a, b, c)", globals=values)
    return found


def main() -> None:
    measured = timers()
    best = dict.fromkeys(measured, float("inf"))
    for _ in range(ROUNDS):
        for name, timer in measured.items():
            best[name] = min(best[name], timer.timeit(CALLS) / CALLS)
    print(f"adding {N} numbers, in ns   best of {ROUNDS}")
    for name, seconds in best.items():
        print(f"{name:<26}{seconds * 1e9:>14.0f}")


if __name__ == "__main__":
    main()
