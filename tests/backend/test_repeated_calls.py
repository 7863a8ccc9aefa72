"""A checked program calls a callback as often as one that is not checked."""

from collections.abc import Callable

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.backend.call.callbacks import ArrayParameter, Callback
from teloom.backend.checks.repeated_calls import RepeatedCalls
from teloom.driver.function import Function
from teloom.errors import KernelError

N = 6


def program(function: Callable, name: str = "f") -> Function:
    """C[i] = B[i] + 1, where the function fills parts of B, of two elements each, from A."""
    A = te.placeholder((N,), name="A")
    parts = [
        te.extern((2,), [A[k : k + 2]], lambda i, o: te.call_packed(function, *i, *o), name=f"B{k}")
        for k in range(0, N, 2)
    ]
    C = te.compute((2,), lambda i: sum((part[i] for part in parts[1:]), parts[0][i]), name="C")
    return teloom.build(te.create_schedule(C), [A, C], name=name, sanitize="memory")


def call(function: Function) -> np.ndarray:
    a, c = np.arange(N, dtype="float32"), np.zeros(2, "float32")
    function(a, c)
    return c


def test_a_callback_with_a_state_is_called_once_each():
    given: list[list[float]] = []

    def fill(a, b):
        given.append(a.tolist())
        b[...] = len(given)

    f = program(fill)
    assert (call(f) == 1 + 2 + 3).all()
    assert (call(f) == 4 + 5 + 6).all()
    assert given == [[0, 1], [2, 3], [4, 5]] * 2


def test_what_a_failed_check_leaves_is_forgotten():
    count = 0

    def fill(a, b):
        nonlocal count
        count += 1
        if count == 3:
            raise ValueError("three")
        b[...] = count

    f = program(fill)
    with pytest.raises(KernelError, match="three"):
        call(f)
    assert (call(f) == 4 + 5 + 6).all()
    assert count == 6


def test_a_callback_that_runs_its_own_program():
    depths: list[int] = []

    def fill(a, b):
        depths.append(len(depths))
        b[...] = depths[-1]
        if len(depths) == 2:
            call(f)

    f = program(fill)
    assert (call(f) == 0 + 1 + 5).all()
    assert len(depths) == 6


def test_what_is_given_something_else_is_called_again():
    given: list[float] = []

    def double(a, b):
        given.append(float(a[0]))
        b[...] = a * 2

    parameters = [ArrayParameter("float32", 1, False), ArrayParameter("float32", 1, True)]
    calls = RepeatedCalls({"double": Callback(double, parameters)})
    one, two = np.float32([1, 2]), np.float32([1, 3])
    one.flags.writeable = two.flags.writeable = False
    calls.forget()
    for values in (one, one):
        calls.first["double"].function(values, np.empty(2, "float32"))
    for values in (one, two):
        calls.second["double"].function(values, result := np.zeros(2, "float32"))
        assert (result == values * 2).all()
    assert given == [1, 1, 1]
