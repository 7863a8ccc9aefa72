"""Schedules by rules are legal and change no result: compiled code, and the interpreter."""

from budget import EXAMPLES
from hypothesis import given, settings
from properties.agreement import assert_as_interpreted, check_accepted
from properties.build import compiled, run_script
from properties.generate_programs import programs
from properties.generate_schedules import ScheduledProgram, scheduled_programs
from properties.program import Program

from teloom import lower, te
from teloom.errors import PassError


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
    assert_as_interpreted(results, program, names, arrays)


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
    check_accepted(scheduled_programs(partly=True), check_finished)
