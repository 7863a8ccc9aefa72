"""Timing of several programs in turns, so that disturbances hit all of them alike."""

import random
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import NamedTuple


class Times(NamedTuple):
    """Seconds per run: the median, and the least."""

    median: float
    best: float


def time_in_turns(
    programs: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Times]:
    """The times of the programs, each of which runs once per round, after two rounds of warm-up.

    Each round has a shuffled order: in a fixed one, the time slices of a busy system might always
    end in the same program. For single-threaded programs, `clock` may be the CPU time of this
    process, which leaves out the time of others on the core.
    """
    taken: dict[str, list[float]] = {name: [] for name in programs}
    order = list(programs.items())
    shuffle = random.Random(0).shuffle
    for number in range(-2, rounds):
        shuffle(order)
        for name, program in order:
            start = clock()
            program()
            end = clock()
            if number >= 0:
                taken[name].append(end - start)
    return {name: Times(median(times), min(times)) for name, times in taken.items()}
