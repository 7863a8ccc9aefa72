"""Schedules that rules write, beside those of hand: the 19 programs of the comparison.

    python benchmarks/auto.py
    python benchmarks/auto.py --rows matmul blur --threads 2 --ragged
    python benchmarks/auto.py --polybench
    python benchmarks/auto.py --images
    python benchmarks/auto.py --signals
    python benchmarks/auto.py --learning

A ratio is the time of the hand schedule over that of the rules: above 1, the rules are faster.
Results are compared with NumPy's before anything is timed. With `--polybench` these are PolyBench's
30 kernels, with `--images` pipelines on images, with `--signals` programs on rows and channels,
with `--learning` statistics, products and pairs: of numba's `@njit(parallel=True)` and NumPy the
faster one is in the place of the hand schedule.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

import beside
from example import HERE, check  # pyright: ignore[reportMissingImports]
from images import KERNELS as IMAGES
from learning import KERNELS as LEARNING
from polybench import KERNELS as POLYBENCH
from polybench.kernel import Kernel
from signals import KERNELS as SIGNALS
from workloads import ROWS, Row

import teloom
from teloom import te
from teloom.tools.timing import time_in_turns

BESIDE_PEERS = {
    "polybench": POLYBENCH,
    "images": IMAGES,
    "signals": SIGNALS,
    "learning": LEARNING,
}
"""Programs beside numba and NumPy, by the options that ask for them."""


class Result(NamedTuple):
    """Seconds: of a call under each schedule, and of writing the one of the rules."""

    hand: float
    rules: float
    written: float

    @property
    def ratio(self) -> float:
        return self.hand / self.rules


def built_by_rules(row: Row) -> tuple[Any, float]:
    """The program of a row under the schedule of the rules, and the seconds that these took."""
    _, args = row.example.program(*row.sizes)
    s = te.create_schedule(args[-1])
    start = time.perf_counter()
    te.auto_schedule(s, HERE)
    taken = time.perf_counter() - start
    return teloom.build(s, args, HERE, math=row.example.math), taken


def measured(row: Row, rounds: int, threads: int) -> Result:
    """The times of one row."""
    rules, written = built_by_rules(row)
    hand = row.example.build(*row.sizes)
    inputs = row.inputs()
    expected = row.example.numpy(*inputs)
    result = teloom.empty(expected.shape, expected.dtype)
    with teloom.num_threads(threads):
        for program in (rules, hand):
            program(*inputs, result)
            check(row.example, result, expected)
        programs = {"hand": lambda: hand(*inputs, result), "rules": lambda: rules(*inputs, result)}
        times = time_in_turns(programs, rounds)
    return Result(times["hand"].median, times["rules"].median, written)


def beside_hand(asked: argparse.Namespace) -> Iterator[tuple[str, float, str]]:
    """The rows of the comparison with schedules of hand: name, ratio, and times."""
    for name, row in chosen(ROWS, asked.rows).items():
        one = measured(row.ragged if asked.ragged else row, asked.rounds, asked.threads)
        times = f"{one.rules * 1e3:12.2f}{one.hand * 1e3:12.2f}{one.written * 1e3:16.1f}"
        yield name, one.ratio, times


def beside_peers(
    kernels: dict[str, Kernel], asked: argparse.Namespace
) -> Iterator[tuple[str, float, str]]:
    """The rows of programs beside numba and NumPy."""
    for name, kernel in chosen(kernels, asked.rows).items():
        sizes = [size - 1 for size in kernel.sizes] if asked.ragged else kernel.sizes
        one = beside.measured(kernel, sizes, asked.rounds, asked.threads)
        others = ", ".join(f"{peer} {time * 1e3:.2f}" for peer, time in one.peers.items())
        yield name, one.ratio, f"{one.rules * 1e3:12.2f}{one.written * 1e3:16.1f}   {others}"


def chosen(rows: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """The rows that have one of some words in their names, or all."""
    found = {name: row for name, row in rows.items() if not words or any(w in name for w in words)}
    if not found:
        sys.exit(f"no row has one of {words}; rows: {', '.join(rows)}")
    return found


def run_again(threads: int) -> None:
    """Runs this command with as many threads for NumPy's products, and ends."""
    count = str(threads)
    if os.environ.get("OPENBLAS_NUM_THREADS") != count:
        environment = os.environ | {"OPENBLAS_NUM_THREADS": count, "NUMBA_NUM_THREADS": count}
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=environment).returncode)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", nargs="*", default=[], help="words, of which a row has one")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ragged", action="store_true", help="one from each extent")
    programs = parser.add_mutually_exclusive_group()
    for name, kernels in BESIDE_PEERS.items():
        words = "beside numba and NumPy"
        programs.add_argument(
            f"--{name}", action="store_const", dest="kernels", const=kernels, help=words
        )
    asked = parser.parse_args()
    if asked.kernels is not None:
        run_again(asked.threads)
        rows = beside_peers(asked.kernels, asked)
        print(f"{'row':28}{'ratio':>7}{'rules, ms':>12}{'written in, ms':>16}   peers, ms")
    else:
        rows = beside_hand(asked)
        print(f"{'row':28}{'ratio':>7}{'rules, ms':>12}{'hand, ms':>12}{'written in, ms':>16}")
    ratios: list[float] = []
    for name, ratio, times in rows:
        ratios.append(ratio)
        print(f"{name:28}{ratio:7.2f}{times}", flush=True)
    mean = exp(sum(map(log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
