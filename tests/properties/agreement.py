"""What several properties of schedules ask: the interpreter's results, of most that are drawn."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from budget import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.build import interpreted
from properties.generate_schedules import ScheduledProgram
from properties.numpy_te import evaluate
from properties.program import Program
from properties.tolerance import assert_agrees

from teloom.errors import ScheduleError

LEAST_ACCEPTED = 0.6  # of the schedules: a compiler that refuses all would pass otherwise


def assert_as_interpreted(
    results: Sequence[np.ndarray],
    program: Program,
    names: Mapping[str, Any],
    arrays: Sequence[np.ndarray],
) -> None:
    """The outputs are those of the reference interpreter, as far apart as sums may be."""
    magnitude = evaluate(program, arrays).magnitude
    for found, reference in zip(results, interpreted(program, names, arrays), strict=True):
        assert_agrees(found, reference, program, magnitude)


def check_accepted(
    scheduled: st.SearchStrategy[ScheduledProgram], check: Callable[[ScheduledProgram], None]
) -> None:
    """Checks schedules, most of which have to be accepted: `check` refuses the others."""
    count = Counter()

    @settings(max_examples=EXAMPLES // 2)
    @given(scheduled)
    def check_one(one: ScheduledProgram):
        count["generated"] += 1
        try:
            check(one)
        except ScheduleError:
            return
        count["accepted"] += 1

    check_one()
    assert count["accepted"] >= LEAST_ACCEPTED * count["generated"], count
