"""Runs pairs in processes of their own: one that crashes or hangs is found and passed by."""

from __future__ import annotations

import multiprocessing
import signal
import traceback
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from soak.families import Family
from soak.refusals import Refusal

from teloom.driver.runner import NotVerifiedError
from teloom.errors import PassError

RUN, REFUSED, WRONG, CRASHED, HUNG = "run", "refused", "wrong", "crashed", "hung"
FAULTS = (WRONG, CRASHED, HUNG)


class Outcome(NamedTuple):
    """What became of the pair of a number: one of the words above, and why."""

    seed: int
    kind: str
    reason: str = ""


def outcomes(family: Family, seeds: Iterable[int], jobs: int, seconds: float) -> Iterator[Outcome]:
    """What becomes of pairs, in any order; one that takes the CPU longer than `seconds` hangs."""
    left = iter(seeds)
    first = [_Worker(family, seed, seconds) for seed in islice(left, jobs)]
    workers = {worker.connection: worker for worker in first}
    try:
        while workers:
            for connection in wait(list(workers)):
                assert isinstance(connection, Connection)
                worker = workers.pop(connection)
                found = worker.outcome()
                yield found
                following = next(left, None)
                if following is None or found.kind in (CRASHED, HUNG):
                    worker.stop()
                    worker = None if following is None else _Worker(family, following, seconds)
                else:
                    worker.start(following)
                if worker is not None:
                    workers[worker.connection] = worker
    finally:
        for worker in workers.values():
            worker.stop()


class _Worker:
    """A process that runs the pairs that it is sent, one after another."""

    def __init__(self, family: Family, seed: int, seconds: float):
        context = multiprocessing.get_context("fork")  # a new one costs little
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_work, args=(family, other, seconds), daemon=True)
        self.process.start()
        other.close()
        self.start(seed)

    def start(self, seed: int) -> None:
        self.seed = seed
        self.connection.send(seed)

    def outcome(self) -> Outcome:
        """What became of the pair that it runs; waits for it."""
        try:
            return self.connection.recv()
        except EOFError:
            self.process.join()
        if self.process.exitcode == -signal.SIGPROF:
            return Outcome(self.seed, HUNG)
        return Outcome(self.seed, CRASHED, f"exit code {self.process.exitcode}")

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _work(family: Family, connection: Connection, seconds: float) -> None:
    warnings.simplefilter("ignore")
    while True:
        seed = connection.recv()
        # At its end a signal ends the process, wherever that is: isl does not let Python in.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        found = outcome(family, seed)
        signal.setitimer(signal.ITIMER_PROF, 0)
        connection.send(found)


def outcome(family: Family, seed: int) -> Outcome:
    """What becomes of one pair, in this process."""
    pair = family.make(seed)
    try:
        family.check(pair)
    except NotVerifiedError:  # a refusal, but of what we made
        return Outcome(seed, WRONG, traceback.format_exc())
    except Refusal as error:
        return Outcome(seed, error.kind, str(error))
    except PassError as error:
        return Outcome(seed, REFUSED, str(error))
    except Exception:  # whatever it is, it is to be reported
        return Outcome(seed, WRONG, traceback.format_exc())
    return Outcome(seed, RUN)
