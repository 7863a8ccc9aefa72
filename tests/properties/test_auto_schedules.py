"""Schedules by rules are legal and change no result: compiled code, and the interpreter."""

from budget import EXAMPLES
from hypothesis import given, settings
from properties.build import compiled, interpreted, run_script
from properties.generate_programs import programs
from properties.numpy_te import evaluate
from properties.program import Program
from properties.tolerance import assert_agrees

from teloom import te
from teloom.errors import ScheduleError


def check(program: Program) -> None:
    arrays = program.arrays()
    names = run_script(program.lines())
    te.auto_schedule(names["s"])
    try:
        results = compiled(program, names, arrays)
    except ScheduleError as error:
        raise AssertionError("the rules made an illegal schedule") from error
    magnitude = evaluate(program, arrays).magnitude
    expected = interpreted(program, names, arrays)
    for found, reference in zip(results, expected, strict=True):
        assert_agrees(found, reference, program, magnitude)


@settings(max_examples=EXAMPLES)
@given(programs())
def test_they_agree_with_the_interpreter(program: Program):
    check(program)
