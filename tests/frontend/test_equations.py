"""Tensors and equations as Python objects, and what they refuse."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.frontend.expr.expressions import Expr

A = te.placeholder((4, 8), name="A")
NAME: Any = "A"


def test_a_placeholder_says_what_it_is():
    n = te.var("n")
    P = te.placeholder((n, 4), "uint8", name="P")
    assert (P.name, P.dtype, P.ndim, P.value_index) == ("P", "uint8", 2, 0)
    assert P.shape[0] is n
    assert P.op.output(0) is P
    assert P.op.num_outputs == 1
    assert P.op.input_tensors == []
    assert te.placeholder(3).dtype == "float32"
    assert str(te.placeholder((np.int64(3),)).shape[0]) == "3"


def test_an_equation_says_what_it_is():
    B = te.compute((8, 4), lambda i, j: A[j, i] + A[j, 0], name="B", tag="t", attrs={"a": 1})
    assert isinstance(B.op, te.ComputeOp)
    assert [axis.name for axis in B.op.axis] == ["i", "j"]
    assert B.axis == B.op.axis
    assert str(B.op.axis[0].dom) == "Range(min=0, extent=8)"
    assert B.op.input_tensors == [A]
    assert B.op.reduce_axis == []
    assert (B.op.tag, B.op.attrs) == ("t", {"a": 1})
    assert B == B.op.output(0)
    assert len({A, B, B.op.output(0)}) == 2


def test_axes_are_named_after_parameters():
    def names(shape, function, **options):
        return [axis.name for axis in te.compute(shape, function, **options).op.axis]

    assert names((2, 3, 4), lambda *i: A[0, 0]) == ["i0", "i1", "i2"]
    assert names((2, 3, 4), lambda x, *i: A[0, 0]) == ["x", "i1", "i2"]
    assert names((2, 3), lambda *i: A[0, 0], varargs_names=["p", "q"]) == ["p", "q"]
    assert names((), lambda: A[0, 0]) == []
    assert names(5, lambda x: A[0, 0]) == ["x"]


def test_axes_are_found_in_lists():
    B = te.compute((8, 4), lambda i, j: A[j, i], name="B")
    i, j = B.op.axis
    assert i in [j, i]
    assert i not in [j]
    assert {i: 1, j: 2}[j] == 2


def test_elements_are_read_in_steps():
    assert str(A[1][2]) == str(A[1, 2]) == str(A(1, 2)) == "A[1, 2]"
    assert te.compute((4,), lambda i: A[i][0] + 1).op.input_tensors == [A]


def test_a_long_chain_of_stages():
    T = A
    for _ in range(1100):
        T = te.compute((4, 8), lambda i, j, T=T: T[i, j], name="T")
    assert len(te.create_schedule(T).stages) == 1101


def test_what_is_read_twice_is_one_argument():
    B = te.compute((4, 8), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((4, 8), lambda i, j: A[i, j] + B[i, j], name="C")
    schedule = te.create_schedule([C, B.op])
    assert [stage.name for stage in schedule.stages] == ["A", "B", "C"]
    assert len(schedule.program.func.tensors) == 1
    assert [value.name_hint for value in schedule.program.func.return_op.values] == ["C", "B"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: te.compute((4,), lambda i, j: A[i, j], name="B"), "'B' has 2 parameters (i, j)"),
        (lambda: te.compute((4, 8), lambda i: A[i, 0]), "has 1 parameters (i) for 2 axes"),
        (lambda: te.compute((4, 8), lambda: A[0, 0]), "has no parameters for 2 axes"),
        (lambda: te.compute((4,), lambda i, j, *k: A[i, 0]), "has 2 parameters for 1 axes"),
        (
            lambda: te.compute((4, 8), lambda *i, q: A[i], name="C"),
            "the function of 'C' has parameters by name only, q, which are no axes; give them def",
        ),
        (
            lambda: te.compute((4,), lambda i: A[i, 0], domain=lambda i, *, q, r=3: i < q),
            "the function of 'domain of compute' has parameters by name only, q, which are no",
        ),
        (
            lambda: te.compute((4,), lambda *i: A[0, 0], varargs_names=["a", "b"]),
            "2 varargs_names for the 1 axes of *i",
        ),
        (
            lambda: te.compute((4,), lambda i: A[i], name="B"),
            "A[i] has 1 subscripts for the 2 axes of A",
        ),
        (
            lambda: A[1, 2, 3],
            "A[1, 2, 3] has 3 subscripts for the 2 axes of A, which has the shape (4, 8)",
        ),
        (lambda: A[1][2][3], "A[1, 2, 3] has 3 subscripts for the 2 axes of A"),
        (lambda: A() + 1, "A[] has 0 subscripts for the 2 axes of A"),
        (lambda: te.compute((4,), lambda i: A), "A is a whole tensor where an element is wanted"),
        (lambda: A[0.5, 1], "subscript 0.5 of A is float32, not an integer"),
        (lambda: A[te.var("n") / 2, 1], "divide with // or cast it"),
        (lambda: A[0, 1:2] + 1, "a slice cannot stand in A[0 : 1, 1 : 1] here; give one position"),
        (lambda: A["x", 0], "'x' of type str is not a scalar expression"),
        (lambda: te.compute((4,), lambda i: None), "the function of 'compute' returns nothing"),
        (lambda: te.compute((4,), lambda i: (), name="B"), "the equation of 'B' gives no value"),
        (lambda: te.placeholder((4, -1), name="P"), "axis 1 of 'P' has the negative extent -1"),
        (lambda: te.placeholder((4.0,), name="P"), "extent 4.0 of 'P' is float32, not an integer"),
        (lambda: te.placeholder(("n",), name="P"), "extent 'n' of 'P' is not an integer"),
        (lambda: te.compute((-2,), lambda i: A[0, 0]), "has the negative extent -2"),
        (lambda: A.op.output(1), "A has outputs 0..0, not 1"),
        (lambda: te.create_schedule(A), "A is a placeholder: there is nothing to compute"),
        (
            lambda: te.create_schedule([NAME]),
            "create_schedule wants operations or tensors, got 'A'",
        ),
        (
            lambda: te.compute((4,), lambda i: te.if_then_else(0 < i < 3, A[i, 0], 0)),
            "te.all, te.any or & | ~ in place of max, min, if, and, or, not",
        ),
        (
            lambda: te.if_then_else(A[0, 0], 1, 2),
            "the condition A[0, 0] is float32, not bool; compare it, as in x != 0",
        ),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)


def test_tensors_are_not_iterated():
    with pytest.raises(TypeError):
        iter(A)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        iter(A[0])  # type: ignore[arg-type]


def test_one_value_in_a_list_is_one_tensor():
    assert te.compute((4,), lambda i: [A[i, 0]]).shape == (4,)
    assert te.compute((4,), lambda i: (A[i, 0],)).op.num_outputs == 1
    assert te.extern([(4,)], [A], lambda ins, outs: te.call_packed(print, outs[0])).shape == (4,)
    S = te.placeholder((4,), name="S")
    first, following = te.compute((1,), lambda t: 0.0), te.compute((4,), lambda t: S[t - 1])
    assert te.scan([first], [following], [S]).shape == (4,)


def test_functions_are_also_methods_and_objects_that_are_called():
    A = te.placeholder((4, 3), name="A")

    class Scaled:
        def __call__(self, i, j):
            return A[i, j] * 2.0

        def by_four(self, i, *, factor=4.0):
            return A[i, 0] * factor

    assert te.compute((4, 3), Scaled(), name="B").op.axis[1].name == "j"
    assert te.compute((4,), Scaled().by_four, name="C").op.axis[0].name == "i"


class Powers:
    """Callable in each way in which a class may say so."""

    def __call__(self, power, i, j):
        return A[i, j] ** power

    def method(self, power, i, j):
        return A[i, j] ** power

    @classmethod
    def of_class(cls, power, i, j):
        return A[i, j] ** power

    @staticmethod
    def static(power, i, j):
        return A[i, j] ** power


class Static:
    """Its method that is called knows no object."""

    @staticmethod
    def __call__(i, j):
        return A[i, j]


@pytest.mark.parametrize(
    "function",
    [
        *(partial(one, 2) for one in (Powers(), Powers().method, Powers.of_class, Powers.static)),
        partial(partial(Powers()), 2),
        Static(),
    ],
)
def test_the_parameters_that_are_left_are_axes(function: Callable[..., Expr]):
    for shape in [(4, 8), None]:
        B = te.compute(shape, function, name="B")
        assert [axis.name for axis in B.op.axis] == ["i", "j"]
