"""A stage that is computed an iteration ahead gives the same numbers."""

import warnings
from itertools import product

import numpy as np
import pytest
from budget import each
from programs.sizes import extents, known

from teloom import Error, build, lower, te


def blur(n, m):
    """Two stages, the second of which reads a halo of the first."""
    A = te.placeholder((n + 2, m), name="A")
    B = te.compute((n + 2, m), lambda y, x: A[y, x] * 2, name="B")
    return A, B, te.compute((n, m), lambda y, x: B[y, x] + B[y + 2, x], name="C")


SIZES = [(0, 3), (1, 1), (2, 5), (5, 7), (8, 8), (33, 16)]


FACTORS = [1, 4, 40]


def check(s, A, C, sizes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant loops that run once are said to have one copy
        kernel = build(s, [A, C])
    for n, m in sizes:
        a = np.arange((n + 2) * m, dtype="float32").reshape(n + 2, m)
        c = np.full((n, m), np.nan, "float32")
        kernel(a, c)
        np.testing.assert_array_equal(c, (a[:-2] + a[2:]) * 2)


@pytest.mark.parametrize(
    ("sizes", "factor"), [*each(known(SIZES), FACTORS), *product([SIZES], FACTORS)]
)
def test_tiles_agree_with_numpy(sizes, factor):
    A, B, C = blur(*extents(sizes, "n", "m"))
    s = te.create_schedule(C)
    outer, _ = s[C].split(C.op.axis[0], factor=factor)
    s[B].compute_at(s[C], outer)
    s[B].double_buffer()
    check(s, A, C, sizes)


@pytest.mark.parametrize("sizes", [*known(SIZES), SIZES])
def test_with_a_layout_and_gaps(sizes):
    A, B, C = blur(*extents(sizes, "n", "m"))
    s = te.create_schedule(C)
    outer, _ = s[C].split(C.op.axis[0], factor=3)
    s[B].compute_at(s[C], outer)
    s[B].storage_align(B.op.axis[0], 8, 3)
    s[B].transform_layout(lambda y, x: [x // 4, te.AXIS_SEPARATOR, y, x % 4])
    s[B].double_buffer()
    check(s, A, C, sizes)


@pytest.mark.parametrize("both", [False, True])
def test_a_chain_in_one_loop(both):
    """What a stage is computed from goes with it, with two copies or with one."""
    A, B, C = blur(te.size_var("n"), te.size_var("m"))
    s = te.create_schedule(C)
    AL = s.cache_read(A, "local", [B])
    outer, _ = s[C].split(C.op.axis[0], factor=4)
    s[B].compute_at(s[C], outer)
    s[AL].compute_at(s[C], outer)
    s[B].double_buffer()
    if both:
        s[AL].double_buffer()
    check(s, A, C, SIZES)


def test_in_two_loops():
    """A copy of a tile, and in it a copy of a row, each a step ahead."""
    A, B, C = blur(te.size_var("n"), te.size_var("m"))
    s = te.create_schedule(C)
    BL = s.cache_read(B, "local", [C])
    outer, inner = s[C].split(C.op.axis[0], factor=4)
    s[B].compute_at(s[C], outer)
    s[BL].compute_at(s[C], inner)
    s[B].double_buffer()
    s[BL].double_buffer()
    check(s, A, C, SIZES)


def test_in_a_reduction():
    """Matrix times vector, of which a part of the vector is copied for the next steps."""
    rows, columns = te.size_var("n"), te.size_var("k")
    A, x = te.placeholder((rows, columns), name="A"), te.placeholder((columns,), name="x")
    r = te.reduce_axis((0, columns), "r")
    y = te.compute((rows,), lambda i: te.sum(A[i, r] * x[r], axis=r), name="y")
    s = te.create_schedule(y)
    copy = s.cache_read(x, "local", [y])
    outer, _ = s[y].split(r, factor=4)
    s[copy].compute_at(s[y], outer)
    s[copy].double_buffer()
    kernel = build(s, [A, x, y])
    rng = np.random.default_rng(1)
    for n, k in [(0, 0), (1, 1), (5, 0), (5, 1), (7, 2), (9, 33)]:
        a = rng.integers(-4, 4, (n, k)).astype("float32")
        v = rng.integers(-4, 4, k).astype("float32")
        found = np.full(n, np.nan, "float32")
        kernel(a, v, found)
        np.testing.assert_array_equal(found, a @ v)


def test_copies_alternate():
    A, B, C = blur(16, 8)
    s = te.create_schedule(C)
    outer, _ = s[C].split(C.op.axis[0], factor=4)
    s[B].compute_at(s[C], outer)
    s[B].double_buffer()
    text = str(lower(s, [A, C], level="memref"))
    assert "memref<96xf32>" in text
    assert "mod 2" in text


def test_what_others_use_too_is_refused():
    """C reads the copy of A that B is computed from; with two copies of it too, all is well."""
    n = te.size_var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2, name="B")
    C = te.compute((n,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C)
    copy = s.cache_read(A, "local", [B, C])
    outer, _ = s[C].split(C.op.axis[0], factor=4)
    s[copy].compute_at(s[C], outer)
    s[B].compute_at(s[C], outer)
    s[B].double_buffer()
    with pytest.raises(Error, match=r"what is computed from A\.local: the loop uses A\.local for"):
        build(s, [A, C])
    s[copy].double_buffer()
    kernel = build(s, [A, C])
    for size in (0, 1, 7, 12):
        a, c = np.arange(size, dtype="float32"), np.empty(size, "float32")
        kernel(a, c)
        np.testing.assert_array_equal(c, a * 3)


def test_one_copy_is_said_where_the_loop_is_gone():
    A, B, C = blur(4, 8)
    s = te.create_schedule(C)
    outer, _ = s[C].split(C.op.axis[0], factor=4)
    s[B].compute_at(s[C], outer)
    s[B].double_buffer()
    with pytest.warns(UserWarning, match="B has one copy: no serial loop is left around it"):
        build(s, [A, C])
