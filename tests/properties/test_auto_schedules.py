"""Schedules by rules are legal and change no result: compiled code, and the interpreter."""

from unittest.mock import patch

from budget import EXAMPLES
from hypothesis import given, settings
from properties.agreement import assert_as_interpreted, check_accepted
from properties.build import compiled, run_script
from properties.generate_programs import programs
from properties.generate_schedules import ScheduledProgram, scheduled_programs
from properties.program import Program

from teloom import lower, te
from teloom.errors import PassError
from teloom.frontend.auto.threads import factors, sharing


def check(program: Program) -> None:
    check_finished(ScheduledProgram(program, ()))


def check_finished(scheduled: ScheduledProgram) -> None:
    """Raises `ScheduleError` if what the user has scheduled is refused by itself."""
    program = scheduled.program
    arrays = program.arrays()
    names = run_script(scheduled.lines())
    try:
        write_schedule(names["s"], len(scheduled.lines()) % 2 == 0)
        results = compiled(program, names, arrays)
    except PassError as error:
        lower_alone(scheduled)
        raise AssertionError("the rules made an illegal schedule") from error
    assert_as_interpreted(results, program, names, arrays)


def write_schedule(s: te.Schedule, on_threads: bool) -> None:
    """Writes it for threads, to which nothing is too small, or for one."""
    if not on_threads:
        te.auto_schedule(s, num_threads=1)
        return
    least = patch.multiple(factors, LEAST_WORK=1, LEAST_TOTAL=1, LEAST_TERMS=2)
    with least, patch.object(sharing, "SMALL", 1):
        te.auto_schedule(s, num_threads=5)


def lower_alone(scheduled: ScheduledProgram) -> None:
    """Lowers the program with the user's commands alone: raises what is refused of these."""
    names, program = run_script(scheduled.lines()), scheduled.program
    tensors = (*program.inputs, *program.outputs)
    lower(names["s"], [names[one.name] for one in tensors], level="llvm")


@settings(max_examples=EXAMPLES // 2)
@given(programs())
def test_they_agree_with_the_interpreter(program: Program):
    check(program)


def test_they_finish_what_a_user_began():
    check_accepted(scheduled_programs(partly=True), check_finished)
