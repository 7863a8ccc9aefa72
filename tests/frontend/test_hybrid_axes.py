"""The loops of hybrid scripts that are axes, and schedules of them."""

import re

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.errors import Error

# ruff: noqa: F821 (scripts call what only they know)


@te.hybrid.script
def product(a, b):
    c = output_tensor((a.shape[0], b.shape[1]), a.dtype)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(b.shape[0]):
                c[i, j] += a[i, k] * b[k, j]
    return c


@te.hybrid.script
def blurred(a):
    b = output_tensor((a.shape[0] - 2, a.shape[1] - 2), a.dtype)
    for y in range(2, a.shape[0]):
        for x in range(2, a.shape[1]):
            total = 0.0
            for dy in range(3):
                for dx in range(3):
                    total += a[y - dy, x - dx]
            b[y - 2, x - 2] = total / 9.0
    return b


@te.hybrid.script
def running_extremes(a):
    b = output_tensor((a.shape[1], 2), a.dtype)
    for i in range(a.shape[1]):
        least = a[0, i]
        most = allocate((1,), a.dtype)
        for k in range(a.shape[0]):
            least = min(least, a[k, i])
            most[0] = max(most[0], a[k, i])
        b[i, 0] = least
        b[i, 1] = most[0]
    return b


@te.hybrid.script
def added_in_turn(a, weights):
    b = output_tensor(a.shape, a.dtype)
    for i in range(a.shape[0]):
        total = 0.0
        for j in range(a.shape[1]):
            total += a[i, j] * weights[j]
            b[i, j] = total
    return b


def floats(*shape):
    return np.random.default_rng(0).random(shape).astype("float32")


def names(tensor):
    return [axis.name for axis in tensor.op.axis]


def plain(stage, i, j):
    pass


def tiled(stage, i, j):
    outer, inner = stage.split(i, 3)
    left, right = stage.split(j, 4)
    stage.reorder(inner, outer, left, right)
    stage.parallel(inner)
    stage.vectorize(right)


def fused(stage, i, j):
    _, inner = stage.split(stage.fuse(i, j), 5)
    stage.unroll(inner)


def turned(stage, i, j):
    stage.reorder(j, i)
    stage.vectorize(i)


@pytest.mark.parametrize("schedule", [plain, tiled, fused, turned])
@pytest.mark.filterwarnings("ignore:.*(parallel|vectorized|unrolled)")
def test_schedules(schedule):
    n, m = te.var("n"), te.var("m")
    A, B = te.placeholder((n, 6), name="A"), te.placeholder((6, m), name="B")
    C = product(A, B)
    assert isinstance(C.op, te.HybridOp)
    assert names(C) == ["i", "j"]
    s = te.create_schedule(C)
    schedule(s[C], *C.op.axis)
    f = teloom.build(s, [A, B, C])
    for rows, columns in [(1, 1), (5, 7), (0, 3), (8, 16)]:
        a, b, c = floats(rows, 6), floats(6, columns), np.empty((rows, columns), "float32")
        f(a, b, c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_an_axis_begins_at_zero_where_its_loop_does_not():
    A = te.placeholder((9, 12), name="A")
    B = blurred(A)
    assert [str(axis.dom) for axis in B.op.axis] == [
        "Range(min=0, extent=7)",
        "Range(min=0, extent=10)",
    ]
    s = te.create_schedule(B)
    s[B].reorder(*reversed(B.op.axis))
    a, b = floats(9, 12), np.empty((7, 10), "float32")
    teloom.build(s, [A, B])(a, b)
    np.testing.assert_allclose(b, blurred(a), rtol=1e-5)


def test_among_equations():
    A = te.placeholder((9, 9), name="A")
    P = te.compute((9, 9), lambda i, j: A[i, j] * 2, name="P")
    B = blurred(P)
    C = te.compute((7, 7), lambda i, j: B[i, j] + 1, name="C")
    s = te.create_schedule(C)
    s[B].compute_at(s[C], C.op.axis[0])
    text = str(teloom.lower(s, [A, C], level="loop"))
    assert 'loop.realize "blurred" [%i_1 : 1, 0 : 7]' in text
    a, c = floats(9, 9), np.empty((7, 7), "float32")
    teloom.build(s, [A, C])(a, c)
    np.testing.assert_allclose(c, blurred(a * 2) + 1, rtol=1e-5)


def test_a_row_of_an_input_is_all_that_its_axis_needs():
    A = te.placeholder((9, 6), name="A")
    P = te.compute((9, 6), lambda i, j: A[i, j] * 2, name="P")
    Q = te.compute((12,), lambda j: A[0, j % 6], name="Q")
    B = added_in_turn(P, Q[3:9])
    s = te.create_schedule(B)
    outer, inner = s[B].split(B.op.axis[0], 2)
    s[P].compute_at(s[B], inner)
    s[Q].compute_at(s[B], outer)
    text = str(teloom.lower(s, [A, B], level="loop"))
    assert re.search(r'loop.realize "P" \[%\S+ \* 2 \+ %\S+ : 1, 0 : 6\]', text)
    a, b = floats(9, 6), np.empty((9, 6), "float32")
    teloom.build(s, [A, B])(a, b)
    np.testing.assert_allclose(b, added_in_turn(a * 2, a[0, [3, 4, 5, 0, 1, 2]]), rtol=1e-5)


def test_lanes():
    A = te.placeholder((5, 19), name="A")
    B = scaled_by_the_first(A)
    s = te.create_schedule(B)
    s[B].vectorize(B.op.axis[1])
    assert "vector<8xf32>" in str(teloom.lower(s, [A, B], level="standard", target="x86-64-v3"))
    a, b = floats(5, 19), np.empty((5, 19), "float32")
    teloom.build(s, [A, B])(a, b)
    np.testing.assert_allclose(b, a * a[0, 0] - a[:, :1], rtol=1e-5, atol=1e-6)


def test_scalars_of_iterations_have_lanes():
    n = te.var("n")
    A = te.placeholder((9, n), name="A")
    B = running_extremes(A)
    s = te.create_schedule(B)
    _, inner = s[B].split(B.op.axis[0], 16)
    s[B].vectorize(inner)
    assert "vector<8xf32>" in str(teloom.lower(s, [A, B], level="standard", target="x86-64-v3"))
    f = teloom.build(s, [A, B])
    for size in (1, 37):
        a, b = floats(9, size), np.empty((size, 2), "float32")
        f(a, b)
        np.testing.assert_allclose(b, np.stack([a.min(0), a.max(0)], 1))


def test_without_a_schedule():
    A, B = te.placeholder((20, 6), name="A"), te.placeholder((6, 20), name="B")
    C = product(A, B)
    D = te.compute((20, 20), lambda i, j: te.exp(C[i, j]), name="D")
    a, b, d = floats(20, 6), floats(6, 20), np.empty((20, 20), "float32")
    teloom.build([D], [A, B, D])(a, b, d)
    np.testing.assert_allclose(d, np.exp(a @ b), rtol=1e-5)


@te.hybrid.script
def rows_of_two(a):
    """Both outputs have the first axis, and one the second."""
    b = output_tensor((a.shape[0], 2), a.dtype)
    c = output_tensor((a.shape[0],), a.dtype)
    for i in range(a.shape[0]):
        first = a[i, 0]
        for j in range(2):
            b[i, j] = first - a[i, j]
        c[i] = first + b[i, 1]
    return b, c


@te.hybrid.script
def scaled_by_the_first(a):
    """A value in front of the inner loop is loaded in it."""
    b = output_tensor(a.shape, a.dtype)
    scale = a[0, 0]
    for i in range(a.shape[0]):
        first = a[i, 0]
        for j in range(a.shape[1]):
            b[i, j] = a[i, j] * scale - first
    return b


@te.hybrid.script
def triangle(a):
    b = output_tensor(a.shape, a.dtype)
    for i in range(a.shape[0]):
        for j in range(i, a.shape[1]):
            b[i, j] = a[i, j]
    return b


@te.hybrid.script
def running(a):
    """Each row needs the one before: no order is free."""
    b = output_tensor(a.shape, a.dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[i, j] + (b[i - 1, j] if i > 0 else 0.0)
    return b


@te.hybrid.script
def transposed(a):
    b = output_tensor((a.shape[1], a.shape[0]), a.dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[j, i] = a[i, j]
    return b


@te.hybrid.script
def interior(a):
    """Not all rows are stored."""
    b = output_tensor(a.shape, a.dtype)
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[i, j]
    return b


@te.hybrid.script
def of_two_lengths(a):
    """The second output, which nothing is stored to, is longer."""
    b = output_tensor((a.shape[0],), a.dtype)
    c = output_tensor((a.shape[0] + 2,), a.dtype)
    for i in range(a.shape[0]):
        b[i] = a[i, i]
    return b, c


@te.hybrid.script
def of_kinds(a):
    b = output_tensor(a.shape, a.dtype)
    for i in parallel(a.shape[0]):
        for j in vectorize(a.shape[1]):
            b[i, j] = a[i, j]
    return b


@pytest.mark.parametrize(
    ("script", "axes"),
    [
        (rows_of_two, ["i"]),
        (scaled_by_the_first, ["i", "j"]),
        (triangle, ["i"]),
        (running, []),
        (transposed, []),
        (interior, []),
        (of_two_lengths, []),
        (of_kinds, []),
    ],
)
def test_which_loops_are_axes(script, axes):
    A = te.placeholder((5, 5), name="A")
    found = script(A)
    results = found if isinstance(found, list) else [found]
    assert names(results[0]) == axes
    s = te.create_schedule(results[0])
    for axis in results[0].op.axis:
        s[results[0]].split(axis, 2)
    a = floats(5, 5)
    arrays = [np.empty(one.shape, "float32") for one in results]
    teloom.build(s, [A, *results], sanitize="memory")(a, *arrays)
    expected = script(a)
    for array, meant in zip(arrays, expected if len(results) > 1 else [expected], strict=True):
        np.testing.assert_allclose(array, meant, rtol=1e-6)


def test_a_parallel_loop_whose_order_matters_is_refused_with_two_iterations():
    @te.hybrid.script
    def running_in_parallel(a):
        b = output_tensor(a.shape, a.dtype)
        for i in parallel(1, a.shape[0]):
            b[i] = a[i] + b[i - 1]
        return b

    A = te.placeholder((5,), name="A")
    words = r"axis i cannot be parallel: i = 2 reads b\[1\], which i = 1 writes"
    B = running_in_parallel(A)
    with pytest.raises(Error, match=words):
        teloom.build([B], [A, B])


def test_a_parallel_while_is_refused_where_its_elements_are_shared():
    @te.hybrid.script
    def shared(a):
        b = output_tensor(a.shape, a.dtype)
        for i in parallel(a.shape[0]):
            while b[0] < a[i]:
                b[0] = b[0] + 1.0
        return b

    A = te.placeholder((5,), name="A")
    words = "it is not known whether two of its iterations touch the same element of b"
    B = shared(A)
    with pytest.raises(Error, match=words):
        teloom.build([B], [A, B])


def test_ir_of_each_level_is_valid():
    A, Q = te.placeholder((5, 19), name="A"), te.placeholder((19,), name="Q")
    B = added_in_turn(A, Q)
    s = te.create_schedule(B)
    outer, inner = s[B].split(B.op.axis[0], 4)
    s[B].parallel(outer)
    s[B].vectorize(inner)
    for level in ("te", "schedule", "loop", "memref", "standard"):
        teloom.lower(s, [A, Q, B], level=level).verify()
