"""Layouts of temporaries and outputs change no number, only where it lies."""

import numpy as np
import pytest

from teloom import CallError, Error, ScheduleError, build, lower, te

LAYOUTS = {
    "permuted": lambda i, j: [j, i],
    "blocked": lambda i, j: [j // 4, i, j % 4],
    "both blocked": lambda i, j: [i // 3, j // 4, i % 3, j % 4],
    "blocked twice": lambda i, j: [j // 4 // 2, i, j // 4 % 2, j % 4],
    "reversed": lambda i, j: [-i, 2 - j],
    "skewed": lambda i, j: [i + 2 * j, j],
    "interleaved": lambda i, j: [i // 2, 2 * j + i % 2],
    "padded": lambda i, j: [i, 3 * j],
    "repeated": lambda i, j: [i, j, i],
    "repeated block": lambda i, j: [j // 4, i, j % 4, j // 4],
    "separated": lambda i, j: [j // 4, te.AXIS_SEPARATOR, i, j % 4],
    "all apart": lambda i, j: [j // 4, te.AXIS_SEPARATOR, i, te.AXIS_SEPARATOR, j % 4],
}


def transposed_twice(n, m):
    A = te.placeholder((n, m), name="A")
    B = te.compute((m, n), lambda j, i: A[i, j] * 2, name="B")
    return A, B, te.compute((n, m), lambda i, j: B[j, i] + 1, name="C")


def check(s, A, C, n, m):
    a = np.arange(n * m, dtype="float32").reshape(n, m)
    c = np.full((n, m), np.nan, "float32")
    build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, a * 2 + 1)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize(("n", "m"), [(0, 3), (1, 1), (5, 7), (33, 16)])
def test_temporary_agrees_with_numpy(n, m, symbolic, layout):
    sizes = (te.size_var("n"), te.size_var("m")) if symbolic else (n, m)
    A, B, C = transposed_twice(*sizes)
    s = te.create_schedule(C)
    s[B].transform_layout(LAYOUTS[layout])
    check(s, A, C, n, m)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (5, 7), (33, 16)])
def test_in_a_tile_agrees_with_numpy(n, m, symbolic, layout):
    sizes = (te.size_var("n"), te.size_var("m")) if symbolic else (n, m)
    A, B, C = transposed_twice(*sizes)
    s = te.create_schedule(C)
    _, outer, _, inner = s[C].tile(*C.op.axis, 8, 6)
    s[B].compute_at(s[C], outer)
    s[B].transform_layout(LAYOUTS[layout])
    s[C].vectorize(inner)
    check(s, A, C, n, m)


def test_loops_follow_the_layout():
    A, B, C = transposed_twice(24, 16)
    s = te.create_schedule(C)
    axes = s[B].transform_layout(lambda j, i: [i // 8, te.AXIS_SEPARATOR, j, i % 8])
    assert [axis.name for axis in axes] == ["i.outer", "j", "i.inner"]
    assert s[B].leaf_iter_vars == axes
    s[B].vectorize(axes[2])
    text = str(lower(s, [A, C], level="memref"))
    assert "floordiv" not in text.partition("memref.store")[0]
    check(s, A, C, 24, 16)


@pytest.mark.parametrize(
    "layout", ["reversed", "skewed", "interleaved", "padded", "repeated", "repeated block"]
)
def test_other_layouts_leave_the_loops(layout):
    _, B, C = transposed_twice(24, 16)
    s = te.create_schedule(C)
    assert s[B].transform_layout(LAYOUTS[layout]) == []
    assert s[B].leaf_iter_vars == list(B.op.axis)


def test_after_a_split_the_loops_stay():
    A, B, C = transposed_twice(24, 16)
    s = te.create_schedule(C)
    split = s[B].split(B.op.axis[0], factor=5)
    assert s[B].transform_layout(lambda j, i: [i, j]) == []
    assert s[B].leaf_iter_vars == [*split, B.op.axis[1]]
    check(s, A, C, 24, 16)


def test_reduce_axes_keep_their_place():
    A = te.placeholder((6, 10), name="A")
    k = te.reduce_axis((0, 10), "k")
    B = te.compute((6, 4), lambda i, j: te.sum(A[i, k] * (j + 1), axis=k), name="B")
    C = te.compute((6, 4), lambda i, j: B[i, j], name="C")
    s = te.create_schedule(C)
    j, i = s[B].transform_layout(lambda i, j: [j, i])
    assert s[B].leaf_iter_vars == [j, i, k]
    a = np.arange(60, dtype="float32").reshape(6, 10)
    c = np.empty((6, 4), "float32")
    build(s, [A, C])(a, c)
    np.testing.assert_array_equal(c, np.outer(a.sum(1), np.arange(1, 5)))


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (lambda i: [i], "is a function of its 2 data axes \\(j, i\\)"),
        (lambda j, i: j, "gives a list of expressions, got j"),
        (lambda j, i: [i * j], "i \\* j\\) in the layout of B is no affine expression"),
        (lambda j, i: [te.AXIS_SEPARATOR, i, j], "must rise"),
        (lambda j, i: [i, j, te.AXIS_SEPARATOR], "must rise"),
        (lambda j, i: [i, te.AXIS_SEPARATOR, te.AXIS_SEPARATOR, j], "must rise"),
        (lambda j, i: [], "a layout has physical axes"),
    ],
)
def test_refuses_what_is_no_layout(layout, words):
    _, B, C = transposed_twice(4, 4)
    s = te.create_schedule(C)
    before = str(s)
    with pytest.raises(ScheduleError, match=words):
        s[B].transform_layout(layout)
    assert str(s) == before


def test_a_placeholder_has_no_layout():
    A, _, C = transposed_twice(4, 4)
    s = te.create_schedule(C)
    with pytest.raises(ScheduleError, match="A is a placeholder: it is given, not computed"):
        s[A].transform_layout(lambda i, j: [j, i])


def test_refuses_two_elements_at_one_place():
    A, B, C = transposed_twice(4, 4)
    s = te.create_schedule(C)
    s[B].transform_layout(lambda j, i: [i % 2, j % 2])
    with pytest.raises(Error, match="gives each element a place of its own"):
        build(s, [A, C])


def blocked(array, factor):
    """The columns of `array` in blocks, padded with NaN: axes block, row, column in the block."""
    n, m = array.shape
    blocks = -(-m // factor)
    padded = np.full((n, blocks * factor), np.nan, array.dtype)
    padded[:, :m] = array
    return padded.reshape(n, blocks, factor).transpose(1, 0, 2)


@pytest.mark.parametrize(
    ("n", "m", "symbolic"),
    [(3, 4, False), (5, 7, False), (0, 3, True), (1, 1, True), (5, 7, True), (33, 16, True)],
)
def test_output_has_the_physical_shape(n, m, symbolic):
    sizes = (te.size_var("n"), te.size_var("m")) if symbolic else (n, m)
    A = te.placeholder(sizes, name="A")
    B = te.compute(sizes, lambda i, j: A[i, j] * 2, name="B")
    s = te.create_schedule(B)
    *_, inner = s[B].transform_layout(lambda i, j: [j // 4, te.AXIS_SEPARATOR, i, j % 4])
    s[B].vectorize(inner)
    a = np.arange(n * m, dtype="float32").reshape(n, m)
    b = np.full((-(-m // 4), n, 4), np.nan, "float32")
    build(s, [A, B])(a, b)
    np.testing.assert_array_equal(b, blocked(a * 2, 4))


@pytest.mark.parametrize(
    ("layout", "extents"),
    [
        (lambda i, j: [i * 2, j], lambda n, m: (2 * n - 1, m)),
        (lambda i, j: [-i * 3, 2 - j], lambda n, m: (3 * n - 2, m)),
        (lambda i, j: [i + 2 * j, j], lambda n, m: (n + 2 * m - 2, m)),
        (lambda i, j: [i * 2, te.AXIS_SEPARATOR, j * 2], lambda n, m: (2 * n - 1, 2 * m - 1)),
    ],
)
@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 3), (3, 0), (1, 0), (5, 7)])
def test_output_of_no_elements(n, m, layout, extents):
    sizes = te.size_var("n"), te.size_var("m")
    A = te.placeholder(sizes, name="A")
    B = te.compute(sizes, lambda i, j: A[i, j] * 2 + 1, name="B")
    s = te.create_schedule(B)
    s[B].transform_layout(layout)
    shape = [max(0, extent) for extent in extents(n, m)]
    a, b = np.ones((n, m), "float32"), np.zeros(shape, "float32")
    build(s, [A, B])(a, b)
    assert b.sum() == 3 * n * m


def test_sizes_follow_from_an_output_of_no_elements():
    n = te.size_var("n")
    B = te.compute((n,), lambda i: i + 1, name="B")
    s = te.create_schedule(B)
    s[B].transform_layout(lambda i: [i * 2])
    kernel = build(s, [B])
    kernel(np.zeros(0, "int32"))
    kernel(b := np.zeros(5, "int32"))
    assert b.tolist() == [1, 0, 2, 0, 3]


def test_a_constant_shape_is_just_what_is_there():
    A = te.placeholder((5, 3), name="A")
    B = te.compute((5, 3), lambda i, j: A[i, j] * 2, name="B")
    s = te.create_schedule(B)
    s[B].transform_layout(lambda i, j: [j // 4, i, j % 4])
    a = np.arange(15, dtype="float32").reshape(5, 3)
    b = np.empty((1, 5, 3), "float32")
    build(s, [A, B])(a, b)
    np.testing.assert_array_equal(b[0], a * 2)


def test_an_array_of_another_shape_than_the_layout_gives_is_refused():
    A = te.placeholder((5, 7), name="A")
    B = te.compute((5, 7), lambda i, j: A[i, j] * 2, name="B")
    s = te.create_schedule(B)
    s[B].transform_layout(lambda i, j: [j, i])
    a = np.zeros((5, 7), "float32")
    with pytest.raises(CallError, match=r"argument B has shape \(5, 7\), expected \(7, 5\)"):
        build(s, [A, B])(a, a.copy())
