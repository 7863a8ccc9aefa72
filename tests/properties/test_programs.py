"""Generated programs mean what NumPy says: the frontend and the interpreter, no schedule."""

from budget import EXAMPLES
from hypothesis import given, settings
from properties.build import interpreted, run_script
from properties.generate_programs import programs
from properties.numpy_te import evaluate
from properties.program import Program
from properties.tolerance import assert_agrees


def check_program(program: Program) -> None:
    arrays = program.arrays()
    expected = evaluate(program, arrays)
    results = interpreted(program, run_script(program.lines()), arrays)
    for output, array in zip(program.outputs, results, strict=True):
        assert_agrees(array, expected.tensors[output.name], program, expected.magnitude)


@settings(max_examples=3 * EXAMPLES)
@given(programs())
def test_the_interpreter_agrees_with_numpy(program: Program):
    check_program(program)
