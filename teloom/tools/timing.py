"""Times of several programs, taken in turns so that all meet the same disturbances."""

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
    """How long each program takes: all run once per round, after two rounds that do not count.

    Within a round the order is shuffled: in a fixed one, the time slices of a busy
    system may always end in the same program. For programs of one thread `clock` may
    count the time of this process only, which leaves out when others had the core.
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
