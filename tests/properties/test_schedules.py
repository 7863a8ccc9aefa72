"""A schedule never changes a result: compiled code under generated ones, and the interpreter."""

from collections import Counter

from budget import EXAMPLES
from hypothesis import given, settings
from properties.build import compiled, interpreted, run_script
from properties.generate_schedules import ScheduledProgram, scheduled_programs
from properties.numpy_te import evaluate
from properties.tolerance import assert_agrees

from teloom.errors import ScheduleError

LEAST_ACCEPTED = 0.6  # of the schedules: a compiler that refuses all would pass otherwise


def check_scheduled(scheduled: ScheduledProgram) -> None:
    """Raises `ScheduleError` if the schedule is refused."""
    program = scheduled.program
    arrays = program.arrays()
    names = run_script(scheduled.lines())
    results = compiled(program, names, arrays)
    magnitude = evaluate(program, arrays).magnitude
    expected = interpreted(program, names, arrays)
    for found, reference in zip(results, expected, strict=True):
        assert_agrees(found, reference, program, magnitude)


def test_compiled_code_agrees_with_the_interpreter():
    count = Counter()

    @settings(max_examples=EXAMPLES)
    @given(scheduled_programs())
    def check(scheduled: ScheduledProgram):
        count["generated"] += 1
        try:
            check_scheduled(scheduled)
        except ScheduleError:
            return
        count["accepted"] += 1

    check()
    assert count["accepted"] >= LEAST_ACCEPTED * count["generated"], count
