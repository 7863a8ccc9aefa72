"""Families of pairs of a program and a schedule: how a pair is made, checked and shown."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from analysis.stage_graphs import stage_graphs
from analysis.test_regions_brute_force import check_graph, check_threads
from analysis.threaded_graphs import threaded_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.vendor.pretty import pretty
from properties import test_auto_schedules, test_externs, test_scans, test_tensor_computes
from properties.generate_programs import programs
from properties.generate_schedules import scheduled_programs
from properties.test_dimensions import chains, check_chain
from properties.test_input_layouts import check_laid_out, laid_out_programs
from properties.test_programs import check_program
from properties.test_schedules import check_scheduled
from soak.attach import attached
from soak.bounds import check_loops
from soak.careless import careless, check_careless
from soak.legality import changed, check_changed

from teloom.frontend.call.build import lower

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

    @settings(database=None)
    @given(strategy)
    def keep(pair: Any) -> None:
        kept.append(pair)

    keeping: Any = keep

    def make(seed: int) -> Any:
        random = Random(seed)
        while not kept:  # some bytes are no pair
            keeping.hypothesis.fuzz_one_input(random.randbytes(LENGTH))
        return kept.pop()

    return make


def scheduled_text(pair: Any) -> str:
    """The program and the schedule of a pair that the frontend made."""
    source, result, s = pair
    return str(lower(s, [source, result], "f", level="te"))


FAMILIES: dict[str, Family] = {
    "attach": Family(attached, check_loops, str),
    "careless": Family(careless, check_careless, str),
    "legality": Family(changed, check_changed, str),
    "regions": Family(drawn(stage_graphs()), check_graph),
    "threads": Family(drawn(threaded_graphs()), check_threads),
    "programs": Family(drawn(programs()), check_program),
    "schedules": Family(drawn(scheduled_programs()), check_scheduled),
    "automatic": Family(drawn(programs()), test_auto_schedules.check),
    "finished": Family(drawn(scheduled_programs(partly=True)), test_auto_schedules.check_finished),
    "layouts": Family(drawn(laid_out_programs()), check_laid_out),
    "dimensions": Family(drawn(chains()), check_chain),
    "externs": Family(drawn(test_externs.programs()), test_externs.check, scheduled_text),
    "intrinsics": Family(
        drawn(test_tensor_computes.schedules()), test_tensor_computes.check, scheduled_text
    ),
    "scans": Family(
        drawn(st.tuples(test_scans.programs(), st.integers(0, 6))),
        lambda pair: test_scans.check(*pair),
        lambda pair: f"{scheduled_text(pair[0])}\n// m is {pair[1]}",
    ),
}
