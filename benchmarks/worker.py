"""A process with one library: it prepares programs and times them when it is asked to.

Requests and answers are lines of JSON. Libraries are apart, because several runtimes for threads
in one process wait for each other, and may even refuse to start.
"""

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from example import check  # pyright: ignore[reportMissingImports]
from libraries import Runner, Task
from workloads import traffic

import teloom

LEAST = 2e-3
"""Seconds that a measurement takes at least: short programs run several times in it."""

SPREAD = 3e-2
"""Seconds of runs before a measurement of several threads: as long as the system may leave those
that were idle on one core."""


class Worker:
    """A library, and the program of it that is ready."""

    def __init__(self, library: str, threads: int, rows: str = "workloads"):
        self.rows = import_module(rows)
        self.module = import_module(f"{self.rows.LIBRARIES}.with_{library}")
        self.threads = threads
        self.ready: tuple[Runner, int] | None = None
        self.inputs: list[np.ndarray] = []

    def hello(self) -> dict[str, Any]:
        return {"version": self.module.VERSION, "programs": list(self.module.PROGRAMS)}

    def peak(self) -> dict[str, Any]:
        """What the machine can do, with one core."""
        peak = import_module("peak")
        return {"operations": peak.operations_per_second(), "bytes": peak.bytes_per_second()}

    def prepare(self, program: str, sizes: list[int]) -> dict[str, Any]:
        """Compiles a program, compares its result with NumPy's, and sees how long it takes."""
        row = self.rows.Row(program, tuple(sizes))
        # Held here: not every library holds on to the arrays that it reads.
        inputs = self.inputs = row.inputs()
        expected = row.example.numpy(*inputs)
        into = teloom.zeros(expected.shape, expected.dtype)
        start = time.perf_counter()
        runner = self.module.PROGRAMS[program](Task(inputs, into, row.sizes, self.threads))
        first = runner.run()
        compiled = time.perf_counter() - start
        result = np.asarray(runner.read(first))
        check(row.example, result, expected)
        start = time.perf_counter()
        runner.run()
        once = time.perf_counter() - start
        self.ready = runner, max(1, round(LEAST / max(once, 1e-7)))
        return {"compiled": compiled, "bytes": traffic(inputs, result)}

    def build(self, program: str) -> dict[str, Any]:
        """Seconds from the text of a program to a function, by the time of this process."""
        row = self.rows.Row(program)
        dtypes = [array.dtype.name for array in row.inputs()]
        start = time.process_time()
        self.module.built(row.operator, dtypes)
        return {"seconds": time.process_time() - start}

    def run(self, clock: str = "perf_counter") -> dict[str, Any]:
        """Seconds per run of what is prepared, by a clock of `time`."""
        assert self.ready is not None
        now: Callable[[], float] = getattr(time, clock)
        runner, times = self.ready
        run: Callable[[], Any] = runner.run
        start = time.perf_counter()
        run()  # what other processes took out of the caches is back after this
        while self.threads > 1 and time.perf_counter() - start < SPREAD:
            run()
        start = now()
        for _ in range(times):
            run()
        return {"seconds": (now() - start) / times}


def main() -> None:
    library, threads, rows = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    # What a library prints is not an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker: Worker | None = None
    for line in sys.stdin:
        try:
            request = json.loads(line)
            if worker is None:
                worker = Worker(library, threads, rows)
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}".partition("\n")[0]}
            if os.environ.get("PEERS_TRACEBACKS"):
                traceback.print_exc()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
