"""The greatest errors of elementary functions at all arguments of float32."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np
from elementary.errors import OF_ONE, compiled, errors

from teloom.passes.elementary.accuracy import LEVELS, greatest_error

CHUNK = 1 << 16


ODD = "sin tan sinh tanh asin asinh atan atanh erf".split()
EVEN = ["cos", "cosh"]


def arguments(step: int, end: int) -> Iterator[np.ndarray]:
    """The float32 numbers with bits up to `end`, or every so many of them."""
    for start in range(0, end, CHUNK * step):
        yield np.arange(start, start + CHUNK * step, step, np.int64).astype(np.uint32).view("f4")


def greatest(name: str, level: str, step: int) -> tuple[float, float]:
    """The greatest error of a function, and where it is."""
    f = compiled((name,), "float32", level)
    worst, place = 0.0, 0.0
    symmetric = name in ODD or name in EVEN
    for x in arguments(step, 1 << (31 if symmetric else 32)):
        there = f(x)[name]
        found = errors(name, level, there, [x])
        if symmetric:
            found[~is_opposite(there, f(-x)[name], name in ODD)] = np.inf
        at = int(np.argmax(found))
        if found[at] > worst:
            worst, place = float(found[at]), float(x[at])
    return worst, place


def is_opposite(there: np.ndarray, opposite: np.ndarray, odd: bool) -> np.ndarray:
    """Where f(-x) is f(x), but for its sign if f is odd, or both are NaN."""
    same = (-there if odd else there).view("i4") == opposite.view("i4")
    return same | (np.isnan(there) & np.isnan(opposite))


def main(arguments: Sequence[str]) -> int:
    """Prints a line for each function; returns 1 if one is off by more than it may be."""
    parser = argparse.ArgumentParser(prog="python -m tests.elementary errors", description=__doc__)
    parser.add_argument("names", nargs="*", default=OF_ONE)
    parser.add_argument("--level", choices=LEVELS, default="default")
    parser.add_argument("--step", type=int, default=1, help="look at every so many numbers only")
    asked = parser.parse_args(arguments)
    worse = 0
    for name in asked.names:
        worst, place = greatest(name, asked.level, asked.step)
        allowed = greatest_error(name, "f32", asked.level)
        worse += worst > allowed
        print(f"{name}: {worst:.4f} of {allowed} ulp, at {place!r}", flush=True)
    return int(worse > 0)
