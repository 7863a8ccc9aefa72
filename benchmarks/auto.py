"""Schedules that rules write, beside those of hand: the 19 programs of the comparison.

    python benchmarks/auto.py
    python benchmarks/auto.py --rows matmul blur --threads 2 --ragged

A ratio is the time of the hand schedule over that of the rules: above 1, the rules are faster.
Results are compared with NumPy's before anything is timed.
"""

import argparse
import sys
import time
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

from example import HERE, check  # pyright: ignore[reportMissingImports]
from workloads import ROWS, Row

import teloom
from teloom import te
from teloom.tools.timing import time_in_turns


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", nargs="*", default=[], help="words, of which a row has one")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ragged", action="store_true", help="one from each extent")
    asked = parser.parse_args()
    rows = {
        name: row.ragged if asked.ragged else row
        for name, row in ROWS.items()
        if not asked.rows or any(word in name for word in asked.rows)
    }
    if not rows:
        parser.error(f"no row has one of {asked.rows}; rows: {', '.join(ROWS)}")
    print(f"{'row':28}{'ratio':>7}{'rules, ms':>12}{'hand, ms':>12}{'written in, ms':>16}")
    ratios: list[float] = []
    for name, row in rows.items():
        one = measured(row, asked.rounds, asked.threads)
        ratios.append(one.ratio)
        times = f"{one.rules * 1e3:12.2f}{one.hand * 1e3:12.2f}{one.written * 1e3:16.1f}"
        print(f"{name:28}{one.ratio:7.2f}{times}", flush=True)
    mean = exp(sum(map(log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
