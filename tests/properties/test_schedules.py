"""A schedule never changes a result: compiled code under generated ones, and the interpreter."""

from properties.agreement import assert_as_interpreted, check_accepted
from properties.build import compiled, run_script
from properties.generate_schedules import ScheduledProgram, scheduled_programs


def check_scheduled(scheduled: ScheduledProgram) -> None:
    """Raises `ScheduleError` if the schedule is refused."""
    program = scheduled.program
    arrays = program.arrays()
    names = run_script(scheduled.lines())
    assert_as_interpreted(compiled(program, names, arrays), program, names, arrays)


def test_compiled_code_agrees_with_the_interpreter():
    check_accepted(scheduled_programs(), check_scheduled)
