"""Schedules by rules are legal and change no result: compiled code, and the interpreter."""

from collections import Counter

from budget import EXAMPLES
from hypothesis import given, settings
from properties.build import compiled, interpreted, run_script
from properties.generate_programs import programs
from properties.generate_schedules import ScheduledProgram, scheduled_programs
from properties.numpy_te import evaluate
from properties.program import Program
from properties.test_schedules import LEAST_ACCEPTED
from properties.tolerance import assert_agrees

from teloom import lower, te
from teloom.errors import PassError, ScheduleError


def check(program: Program) -> None:
    check_finished(ScheduledProgram(program, ()))


def check_finished(scheduled: ScheduledProgram) -> None:
    """Raises `ScheduleError` if what the user has scheduled is refused by itself."""
    program = scheduled.program
    arrays = program.arrays()
    if scheduled.commands:
        lower_alone(scheduled)
    names = run_script(scheduled.lines())
    try:
        te.auto_schedule(names["s"])
        results = compiled(program, names, arrays)
    except PassError as error:
        raise AssertionError("the rules made an illegal schedule") from error
    magnitude = evaluate(program, arrays).magnitude
    expected = interpreted(program, names, arrays)
    for found, reference in zip(results, expected, strict=True):
        assert_agrees(found, reference, program, magnitude)


def lower_alone(scheduled: ScheduledProgram) -> None:
    """Lowers the program with the user's commands alone."""
    names, program = run_script(scheduled.lines()), scheduled.program
    tensors = (*program.inputs, *program.outputs)
    lower(names["s"], [names[one.name] for one in tensors], level="llvm")


@settings(max_examples=EXAMPLES)
@given(programs())
def test_they_agree_with_the_interpreter(program: Program):
    check(program)


def test_they_finish_what_a_user_began():
    count = Counter()

    @settings(max_examples=EXAMPLES)
    @given(scheduled_programs(partly=True))
    def check(scheduled: ScheduledProgram):
        count["generated"] += 1
        try:
            check_finished(scheduled)
        except ScheduleError:
            return
        count["accepted"] += 1

    check()
    assert count["accepted"] >= LEAST_ACCEPTED * count["generated"], count
