"""What a program of twice as many stages costs: about twice as much, counted in calls of Python."""

import cProfile
from collections.abc import Callable

import pytest

from teloom import te
from teloom.frontend.call.build import lower

STAGES = 24


def chain(count: int) -> tuple[te.Schedule, list[te.Tensor]]:
    tensors = [te.placeholder((64,), name="A")]
    for k in range(count):
        tensors.append(te.compute((64,), lambda i, x=tensors[-1]: x[i] * 2 + 1, name=f"s{k}"))
    return te.create_schedule(tensors[-1]), tensors


def at_root(count: int) -> None:
    s, (first, *_, last) = chain(count)
    lower(s, [first, last], level="llvm")


def inlined(count: int) -> None:
    s, (first, *stages, last) = chain(count)
    for stage in stages:
        s[stage].compute_inline()
    lower(s, [first, last], level="llvm")


def copied(count: int) -> None:
    """Each stage reads its input from a copy, at the root as well."""
    s, (first, *stages) = chain(count)
    for stage, reader in zip([first, *stages[:-1]], stages, strict=True):
        s.cache_read(stage, "global", [reader])
    lower(s, [first, stages[-1]], level="llvm")


def calls(run: Callable[[], None]) -> int:
    """How many functions of Python and C a run calls."""
    profile = cProfile.Profile()
    profile.runcall(run)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("program", [at_root, inlined, copied])
def test_twice_the_stages_take_twice_as_long(program: Callable[[int], None]):
    program(2)  # what is made once does not count
    first, second = (calls(lambda count=count: program(count)) for count in (STAGES, 2 * STAGES))
    assert second < 2.25 * first
