"""Programs whose sources compilers once refused, or warned of."""

import numpy as np
import pytest
from c_functions import call, library, needs_compiler
from standard_kernels import lowering

import teloom
from teloom import te
from teloom.backend.c.source import VECTOR_FORMS
from teloom.driver.translate.c_code import c_code

pytestmark = needs_compiler


def results(x: te.Tensor, outputs: list[te.Tensor], form: str, given: np.ndarray):
    """The outputs, as the C source of the program by rules computes them."""
    s = te.create_schedule(outputs)
    te.auto_schedule(s, target="x86-64-v4")
    module = teloom.lower(s, [x, *outputs], level="loop", target="x86-64-v4", name="f")
    found = library(c_code(module, lowering(), form))
    made = [np.zeros([int(extent) for extent in one.shape], one.dtype) for one in outputs]
    assert call(found, "f", [], [given, *made]) == 0
    return made


@pytest.mark.parametrize("form", VECTOR_FORMS)
def test_a_converted_vector_is_read_lane_by_lane(form: str):
    A = te.placeholder((5, 16), "float64", name="A")
    k = te.reduce_axis((0, 16), "k")

    def combine(x: list, y: list) -> tuple:
        is_first = (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] < y[0]))
        return te.select(is_first, x[0], y[0]), te.select(is_first, x[1], y[1])

    greatest = te.comm_reducer(combine, lambda at, one: (te.max_value(at), te.min_value(one)))
    outputs = te.compute((5,), lambda i: greatest((k, A[i, k]), axis=k), name="greatest")
    a = np.random.default_rng(0).standard_normal((5, 16))
    at, values = results(A, list(outputs), form, a)
    np.testing.assert_array_equal(at, a.argmax(1))
    np.testing.assert_array_equal(values, a.max(1))


@pytest.mark.parametrize("form", VECTOR_FORMS)
@pytest.mark.parametrize("compute", [lambda x: te.minimum(x, x), lambda x: te.select(x < x, 0, x)])
def test_a_value_and_itself(compute, form: str):
    A = te.placeholder((37,), "int32", name="A")
    B = te.compute((37,), lambda i: compute(A[i]), name="B")
    a = np.arange(37, dtype="int32")
    (b,) = results(A, [B], form, a)
    np.testing.assert_array_equal(b, a)


def test_vectors_without_a_type_of_their_own():
    A = te.placeholder((5, 2), "bool", name="A")
    B = te.compute((10,), lambda i: A[i // 2, i % 2], name="B")
    a = np.arange(10).reshape(5, 2) % 3 == 0
    (b,) = results(A, [B], "extension", a)
    np.testing.assert_array_equal(b, a.ravel())
