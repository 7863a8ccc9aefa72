"""Programs under the schedules of rules, beside numba's loops and NumPy: whichever is faster."""

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from polybench.kernel import Kernel

import teloom
from teloom import te
from teloom.tools.timing import Times, time_in_turns

try:
    import numba

    warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
except ImportError:
    numba = None

LEAST = 2e-3
"""Seconds that a measurement takes at least: short programs run several times in it."""


class Measured(NamedTuple):
    """Seconds of a call by each, and seconds that the rules took to write a schedule."""

    rules: float
    peers: dict[str, float]
    written: float

    @property
    def fastest(self) -> str:
        return min(self.peers, key=lambda name: self.peers[name])

    @property
    def ratio(self) -> float:
        """How many times as fast as the fastest peer."""
        return self.peers[self.fastest] / self.rules


def measured(kernel: Kernel, sizes: Sequence[int], rounds: int, threads: int) -> Measured:
    """The times of one kernel, after all results were compared."""
    inputs = [*map(aligned, kernel.arrays(np.random.default_rng(0), *sizes))]
    given, outs = kernel.program(*sizes)
    s = te.create_schedule([out.op for out in outs])
    start = time.perf_counter()
    te.auto_schedule(s)
    written = time.perf_counter() - start
    rules = teloom.build(s, [*given, *outs])
    results = [teloom.zeros(out.shape, out.dtype) for out in outs]
    rules(*inputs, *results)
    programs: dict[str, Callable[[], object]] = {"rules": partial(rules, *inputs, *results)}
    programs |= peers_of(kernel, sizes, inputs, results, threads)
    with teloom.num_threads(threads):
        times = times_of(programs, rounds, threads)
    return Measured(
        times["rules"].median,
        {name: one.median for name, one in times.items() if name != "rules"},
        written,
    )


def peers_of(
    kernel: Kernel,
    sizes: Sequence[int],
    inputs: Sequence[np.ndarray],
    results: Sequence[np.ndarray],
    threads: int,
) -> dict[str, Callable[[], object]]:
    """What numba and NumPy run; each was compared with the others."""
    given = kernel.arguments(sizes, inputs)
    programs: dict[str, Callable[[], object]] = {}
    if numba is not None:
        numba.set_num_threads(threads)
        loops = numba.njit(parallel=True)(kernel.loops)
        found = [np.zeros_like(one) for one in results]
        loops(*given, *found)
        compare(kernel, found, results)
        programs["numba"] = partial(loops, *given, *found)
    if kernel.numpy is not None:
        found = kernel.numpy(*given)
        compare(kernel, found if isinstance(found, tuple) else (found,), results)
        programs["numpy"] = partial(kernel.numpy, *given)
    return programs


def compare(kernel: Kernel, found: Sequence[Any], expected: Sequence[np.ndarray]) -> None:
    """Fails where results differ, but for roundings."""
    for one, other in zip(found, expected, strict=True):
        largest = float(np.max(np.abs(other.astype("float64")), initial=0))
        np.testing.assert_allclose(one, other, rtol=kernel.rtol, atol=kernel.rtol * largest)


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy that begins at a multiple of 64 bytes."""
    copy = teloom.empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def times_of(
    programs: dict[str, Callable[[], object]], rounds: int, threads: int
) -> dict[str, Times]:
    """Seconds of a call of each, in turns: with one thread those of this process."""
    clock = time.process_time if threads == 1 else time.perf_counter
    counts: dict[str, int] = {}
    for name, program in programs.items():
        program()
        start = clock()
        program()
        counts[name] = max(1, int(LEAST / max(clock() - start, 1e-7)))

    def several(name: str) -> None:
        program = programs[name]
        for _ in range(counts[name]):
            program()

    return {
        name: Times(one.median / counts[name], one.best / counts[name])
        for name, one in time_in_turns(
            {name: partial(several, name) for name in programs}, rounds, clock
        ).items()
    }
