"""Schedules as the texts of hybrid scripts: what they compute, saved and loaded."""

import re

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.errors import Error

# ruff: noqa: F821 (scripts call what only they know)


def floats(*shape):
    return np.random.default_rng(0).random(shape).astype("float32")


def check(s, inputs, outputs, *arrays):
    """Runs the script of a schedule as Python and compiled; gives its module."""
    module = te.hybrid.build(s, inputs, outputs)
    sizes = {te.Tensor: lambda one: te.placeholder(one.shape, one.dtype.name, name="X")}
    expected = [np.empty_like(one) for one in arrays[len(inputs) :]]
    given = arrays[: len(inputs)]
    teloom.build(s, [*inputs, *outputs])(*given, *expected)
    found = module(*given)
    for one, meant in zip(found if len(outputs) > 1 else [found], expected, strict=True):
        np.testing.assert_allclose(one, meant, rtol=1e-5, atol=1e-6)
    tensors = [sizes[te.Tensor](one) if isinstance(one, np.ndarray) else one for one in given]
    made = module(*tensors)
    made = made if isinstance(made, list) else [made]
    results = [np.empty_like(one) for one in expected]
    args = [one for one in tensors if isinstance(one, te.Tensor)]
    arrays = [one for one in given if isinstance(one, np.ndarray)]
    teloom.build(te.create_schedule(made[0]), [*args, *made])(*arrays, *results)
    for one, meant in zip(results, expected, strict=True):
        np.testing.assert_allclose(one, meant, rtol=1e-5, atol=1e-6)
    return module


def test_stages_in_loops_of_others():
    n = te.var("n")
    A = te.placeholder((n, 8), name="A")
    k = te.reduce_axis((0, 8), "k")
    S = te.compute((n,), lambda i: te.max(A[i, k], axis=k), name="S")
    C = te.compute(
        (n,),
        lambda i: te.if_then_else(te.all(i > 0, i < n - 1), S[i - 1] / 2, te.sigmoid(S[i])) + i,
        name="C",
    )
    s = te.create_schedule(C)
    outer, inner = s[C].split(C.op.axis[0], 3)
    s[S].compute_at(s[C], outer)
    s[C].unroll(inner)
    module = check(s, [A], [C], floats(7, 8), floats(7))
    text = module.get_source()
    assert text.startswith("def hybrid_func(A):\n    n = A.shape[0]\n")
    assert "for i_inner in unroll(min(3, n - i_outer * 3)):" in text
    assert 'S = allocate((4,), "float32", "global")' in text


@te.hybrid.script
def counted(a, b):
    c = output_tensor((a.shape[0], 2), "int64")
    total = output_tensor((a.shape[0],), "float64")
    for i in range(a.shape[0]):
        assert a[i] < 100, "large"
        left = a[i]
        while left > 1 or (left == 1 and b[i] > 0.5):
            left = left // 2
            c[i, 0] += int64(1)
        for j in range(i, a.shape[0]):
            if j % 2 == 0 and not b[j] < 0.25:
                c[i, 1] += int64(a[j] & 3)
            total[i] += float64(b[j]) if b[j] > 0.5 else 0.1
    return c, total


def test_functions():
    A = te.placeholder((3, 4), name="A")

    def point(i, j):
        turned = te.atan2(A[i, j], 1 - A[i, j]) + te.copysign(te.tan(A[i, j]), A[i, j] - 0.5)
        return te.if_then_else(turned > 0, te.infinity(), te.round(-turned).astype("int64") % 3)

    B = te.compute((3, 4), lambda i, j: te.nearbyint(point(i, j)), name="B")
    C = te.compute((3, 4), lambda i, j: te.erf(A[i, j]) * te.popcount(i + j), name="C")
    D = te.compute((3, 4), lambda i, j: C[i, j] - te.fmod(C[i, j], 0.3), name="D")
    check(te.create_schedule(D), [A], [D], floats(3, 4), floats(3, 4))
    assert "math.round" in refused(te.create_schedule(B), [A], [B])


def refused(*args):
    with pytest.raises(Error) as raised:
        te.hybrid.build(*args)
    return str(raised.value)


def test_scripts():
    A, B = te.placeholder((6,), "int32", name="A"), te.placeholder((6,), name="B")
    C, T = counted(A, B)
    s = te.create_schedule(C)
    outer, inner = s[C].split(C.op.axis[0], 4)
    s[C].reorder(inner, outer)
    a = np.array([1, 5, 17, 2, 64, 99], "int32")
    check(s, [A, B], [C, T], a, floats(6), np.empty((6, 2), "int64"), np.empty(6))


def test_argmax_integers_and_branches():
    def combine(x, y):
        better = te.any(x[1] > y[1], te.all(x[1] == y[1], x[0] < y[0]))
        return te.select(better, x[0], y[0]), te.select(better, x[1], y[1])

    def identity(index, value):
        return te.const(-1, index), te.min_value(value)

    argmax = te.comm_reducer(combine, identity, name="argmax")
    A = te.placeholder((5, 9), "int32", name="A")
    k = te.reduce_axis((0, 9), "k")
    at, largest = te.compute((5,), lambda i: argmax((k, A[i, k] % 7), axis=k), name="M")
    s = te.create_schedule(at)
    a = np.random.default_rng(1).integers(-50, 50, (5, 9)).astype("int32")
    check(s, [A], [at, largest], a, np.empty(5, "int32"), np.empty(5, "int32"))


def test_a_size_that_is_passed():
    n = te.var("n")
    A = te.placeholder((10,), name="A")
    B = te.compute((n,), lambda i: A[i % 10] * i, name="B")
    s = te.create_schedule(B)
    module = te.hybrid.build(s, [n, A], [B], name="some")
    assert module.get_source().startswith("def some(n, A):")
    np.testing.assert_allclose(module(4, np.ones(10, "float32")), np.arange(4))


def test_saved_and_loaded(tmp_path):
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: te.exp(A[i]), name="B")
    module = te.hybrid.build(te.create_schedule(B), [A], [B])
    module.save(tmp_path / "exponential")
    again = te.hybrid.HybridModule()
    again.load(tmp_path / "exponential.py")
    assert (again.name, again.get_source()) == ("hybrid_func", module.get_source())
    np.testing.assert_allclose(again(np.ones(4, "float32")), np.full(4, np.e), rtol=1e-6)
    C = again(A)
    assert (C.op.name, C.shape) == ("hybrid_func", (4,))


def unsigned():
    A = te.placeholder((4,), "uint8", name="A")
    B = te.compute((4,), lambda i: (A[i] // 3).astype("float32"), name="B")
    return te.create_schedule(B), [A], [B]


def a_call():
    A = te.placeholder((4,), name="A")
    B = te.extern((4,), [A], lambda i, o: te.call_packed(print, i[0], o[0]), name="B")
    return te.create_schedule(B), [A], [B]


def an_unknown_size():
    n = te.var("n")
    A = te.placeholder((n * 2,), name="A")
    B = te.compute((n,), lambda i: A[i * 2], name="B")
    return te.create_schedule(B), [A], [B]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (unsigned, "a hybrid script has no arith.divui"),
        (a_call, "a hybrid script has no memref.extract_strided_metadata"),
        (an_unknown_size, "no input has an axis of n elements; give it among the inputs"),
    ],
)
def test_schedules_that_are_refused(made, words):
    with pytest.raises(Error, match=re.escape(words)):
        te.hybrid.build(*made())


def test_modules_that_are_refused(tmp_path):
    with pytest.raises(Error, match="without a text is called; load one first"):
        te.hybrid.HybridModule()(np.ones(3))
    with pytest.raises(Error, match=r"absent\.py cannot be read: No such file or directory"):
        te.hybrid.HybridModule().load(tmp_path / "absent")
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i], name="B")
    with pytest.raises(Error, match="a name that Python has for functions, got 'a b'"):
        te.hybrid.build(te.create_schedule(B), [A], [B], "a b")
