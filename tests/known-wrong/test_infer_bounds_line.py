"""`te.infer_bounds` refuses a read outside its tensor without the line of the program."""

import inspect

import pytest

import teloom
from teloom import te


@pytest.mark.xfail(strict=True, reason="infer_bounds does not report as the pipeline does")
def test_infer_bounds_names_the_line():
    A = te.placeholder((8,), name="A")
    line = inspect.stack()[0].lineno + 1
    B = te.compute((8,), lambda i: A[i + 1], name="B")
    with pytest.raises(teloom.Error) as error:
        te.infer_bounds(te.create_schedule(B))
    assert str(error.value).startswith(f"{__file__}:{line}: ")
