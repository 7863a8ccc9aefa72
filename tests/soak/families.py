"""Families of pairs of a program and a schedule: how a pair is made, checked and shown."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from analysis.stage_graphs import stage_graphs
from analysis.test_regions_brute_force import check_graph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.vendor.pretty import pretty
from properties.generate_programs import programs
from properties.generate_schedules import scheduled_programs
from properties.test_programs import check_program
from properties.test_schedules import check_scheduled
from soak.attach import attached
from soak.bounds import check_loops

LENGTH = 16_000
"""Bytes that a pair is drawn from; none that is generated takes more."""


class Family(NamedTuple):
    """make: the pair of a number. check: raises `PassError` if the pair is refused, anything
    else if it is wrong. text: shows it, so that it can be run again."""

    make: Callable[[int], Any]
    check: Callable[[Any], object]
    text: Callable[[Any], str] = pretty


def drawn(strategy: st.SearchStrategy[Any]) -> Callable[[int], Any]:
    """Makes what a strategy makes of the random bytes of a number."""
    kept: list[Any] = []

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def keep(pair: Any) -> None:
        kept.append(pair)

    def make(seed: int) -> Any:
        random = Random(seed)
        while not kept:  # some bytes are no pair
            keep.hypothesis.fuzz_one_input(random.randbytes(LENGTH))
        return kept.pop()

    return make


FAMILIES: dict[str, Family] = {
    "attach": Family(attached, check_loops, str),
    "regions": Family(drawn(stage_graphs()), check_graph),
    "programs": Family(drawn(programs()), check_program),
    "schedules": Family(drawn(scheduled_programs()), check_scheduled),
}
