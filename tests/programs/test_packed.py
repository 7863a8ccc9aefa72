"""Triangles that are stored packed, row behind row, have the numbers of those in boxes."""

from collections.abc import Callable

import numpy as np
import pytest

import teloom
from teloom import te
from teloom.frontend.tensor.tensors import Tensor

RNG = np.random.default_rng(5)

SIZES = (0, 1, 2, 7, 20)


def lower(i, j):
    return j <= i


def upper(i, j):
    return i <= j


LAYOUTS = {
    "rows of lower": (lower, lambda i, j: [te.packed(i, j)], np.tril_indices),
    "columns of upper": (upper, lambda i, j: [te.packed(j, i)], np.tril_indices),
    "rows of upper": (upper, lambda i, j: [te.packed(i, j, "upper")], np.triu_indices),
    "columns of lower": (lower, lambda i, j: [te.packed(j, i, "upper")], np.triu_indices),
}
"""The four packed formats of BLAS; the last two ask for the places of what is stored in rows."""


def rows(s: te.Schedule, C: Tensor):
    pass


def tiles(s: te.Schedule, C: Tensor):
    *_, inner = s[C].tile(*C.op.axis, 8, 8)
    s[C].vectorize(inner)


def lanes_of_rows(s: te.Schedule, C: Tensor):
    (i, j), (k,) = C.op.axis, C.op.reduce_axis
    s[C].reorder(i, k, j)
    s[C].vectorize(j)
    s[C].parallel(i)


def lanes_of_columns(s: te.Schedule, C: Tensor):
    s[C].vectorize(C.op.axis[0])


def rounded_up(s: te.Schedule, C: Tensor):
    (_, j), (k,) = C.op.axis, C.op.reduce_axis
    jo, ji = s[C].split(j, 4, tail="round_up")
    s[C].reorder(jo, k, ji)
    s[C].vectorize(ji)


def cached_rows(s: te.Schedule, C: Tensor):
    cache = s.cache_write(C, "local")
    io, ii = s[C].split(C.op.axis[0], 4)
    s[C].parallel(io)
    s[cache].compute_at(s[C], ii)
    (_, j), (k,) = cache.op.axis, cache.op.reduce_axis
    s[cache].reorder(k, j)
    s[cache].vectorize(j)


@pytest.mark.parametrize(
    ("schedule", "n"),
    [
        (rows, te.var("n")),
        (tiles, te.var("n")),
        (lanes_of_rows, 7),
        (lanes_of_columns, te.var("n")),
        (rounded_up, te.var("n")),
        (cached_rows, te.var("n")),
        (tiles, 20),
    ],
)
def test_a_product_of_triangles(schedule: Callable[[te.Schedule, Tensor], None], n):
    """Both factors and the result are arrays of n * (n + 1) / 2 elements."""
    A, B = (te.placeholder((n, n), "float64", name=name) for name in "AB")

    def product(i, j):
        k = te.reduce_axis((j, i + 1), "k")
        return te.sum(A[i, k] * B[k, j], axis=k)

    C = te.compute((n, n), product, name="C", domain=lower)
    s = te.create_schedule(C)
    schedule(s, C)
    for tensor in (A, B, C):
        s[tensor].transform_layout(lambda i, j: [te.packed(i, j)])
    multiply = teloom.build(s, [A, B, C])
    for size in SIZES if not isinstance(n, int) else (n,):
        places = np.tril_indices(size)
        a, b = np.tril(RNG.random((2, size, size)))
        multiply(a[places], b[places], found := np.full(len(places[0]), np.nan))
        np.testing.assert_allclose(found, (a @ b)[places])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_formats_of_blas(layout: str):
    """An input, a temporary and an output in one format."""
    domain, mapping, places_of = LAYOUTS[layout]
    n = te.var("n")
    A = te.placeholder((n, n), "int32", name="A")
    T = te.compute((n, n), lambda i, j: A[i, j] * 2, name="T", domain=domain)
    B = te.compute((n, n), lambda i, j: T[i, j] + 1, name="B", domain=domain)
    s = te.create_schedule(B)
    assert s[A].transform_layout(mapping) == []
    for tensor in (T, B):
        loops = s[tensor].transform_layout(mapping)
        assert sorted(loop.name for loop in loops) == ["i", "j"]
        s[tensor].vectorize(loops[-1])
    double = teloom.build(s, [A, B])
    for size in SIZES:
        matrix = RNG.integers(100, size=(size, size), dtype="int32")
        given = matrix.T if layout.startswith("columns") else matrix
        packed = given[places_of(size)]
        double(packed, found := np.empty_like(packed))
        np.testing.assert_array_equal(found, 2 * packed + 1)


@pytest.mark.parametrize("vectorized", [False, True])
def test_a_symmetric_matrix_times_a_vector(vectorized: bool):
    """`spmv`: of a symmetric matrix the lower triangle is given, and a scaled one is stored."""
    n = te.var("n")
    A, x = te.placeholder((n, n), "float64", name="A"), te.placeholder((n,), "float64", name="x")
    S = te.compute((n, n), lambda i, j: A[i, j] * 2, name="S", domain=lower)
    k = te.reduce_axis((0, n), "k")
    y = te.compute(
        (n,),
        lambda i: te.sum(te.if_then_else(k <= i, S[i, k], S[k, i]) * x[k], axis=k),
        name="y",
    )
    s = te.create_schedule(y)
    for tensor in (A, S):
        s[tensor].transform_layout(lambda i, j: [te.packed(i, j)])
    if vectorized:
        outer, inner = s[y].split(y.op.axis[0], 8)
        s[y].reorder(outer, k, inner)
        s[y].vectorize(inner)
    multiply = teloom.build(s, [A, x, y])
    for size in SIZES:
        matrix = RNG.random((size, size))
        matrix += matrix.T
        vector = RNG.random(size)
        multiply(matrix[np.tril_indices(size)], vector, found := np.empty(size))
        np.testing.assert_allclose(found, 2 * matrix @ vector)


def test_a_symmetric_update_of_a_cholesky_factorization():
    """`spr`, of k vectors: what remains of a symmetric matrix behind k columns of its factor."""
    n, m = te.var("n"), te.var("m")
    C, L = te.placeholder((n, n), "float64", name="C"), te.placeholder((n, m), "float64", name="L")

    def product(i, j):
        k = te.reduce_axis((0, m), "k")
        return te.sum(L[i, k] * L[j, k], axis=k)

    P = te.compute((n, n), product, name="P", domain=lower)
    R = te.compute((n, n), lambda i, j: C[i, j] - P[i, j], name="R", domain=lower)
    s = te.create_schedule(R)
    for tensor in (C, P, R):
        s[tensor].transform_layout(lambda i, j: [te.packed(i, j)])
    io, *_ = s[P].tile(*P.op.axis, 4, 8)
    s[P].parallel(io)
    update = teloom.build(s, [C, L, R])
    for size, columns in ((0, 3), (1, 1), (5, 0), (13, 4)):
        left, places = RNG.random((size, columns)), np.tril_indices(size)
        matrix = RNG.random((size, size))
        update(matrix[places], left, found := np.empty(len(places[0])))
        np.testing.assert_allclose(found, (matrix - left @ left.T)[places])


def eliminated(E: Tensor, k, i, j):
    """A step of Cholesky's factorization: column k, and what it leaves of the others."""
    root = te.if_then_else(i == k, te.sqrt(E[k, k]), E[i, k] / E[k, k])
    return (i, j), te.if_then_else(j == k, root, E[i, j] - E[i, k] * E[j, k])


def skewed(s: te.Schedule, C: Tensor):
    s[C].tile(*C.op.axis, 4, 8)
    s[C].reorder(C.op.reduce_axis[2], C.op.reduce_axis[1])


def chosen(s: te.Schedule, C: Tensor):
    te.auto_schedule(s)


@pytest.mark.parametrize(
    ("scheduling", "format"),
    [
        (skewed, "rows of lower"),
        (skewed, "columns of lower"),
        (chosen, "columns of lower"),
    ],
)
def test_a_cholesky_factorization_in_place(scheduling: Callable, format: str):
    """`pptrf`: the triangle is the only memory."""
    n = te.var("n")
    A = te.placeholder((n, n), "float64", name="A")
    k = te.reduce_axis((0, n), "k")
    i = te.reduce_axis((k, n), "i")
    j = te.reduce_axis((k, i + 1), "j")
    domain, mapping, places_of = LAYOUTS[format]
    C = te.update(A, (k, i, j), eliminated, name="C", domain=domain)
    s = te.create_schedule(C)
    scheduling(s, C)
    for tensor in (A, C):
        s[tensor].transform_layout(mapping)
    factorize = teloom.build(s, [A, C])
    for size in SIZES:
        root = RNG.random((size, size))
        matrix, places = root @ root.T + size * np.eye(size), places_of(size)
        factorize(matrix[places], found := np.full(len(places[0]), np.nan))
        factor = np.linalg.cholesky(matrix) if size else matrix
        wanted = factor.T if format == "columns of lower" else factor
        np.testing.assert_allclose(found, wanted[places])


@pytest.mark.parametrize("place", ["at the root", "apart", "in two copies"])
def test_several_triangles_of_one_tensor(place: str):
    m, n = te.var("m"), te.var("n")
    X = te.placeholder((m, n, n), "int32", name="X")

    def below(b, i, j):
        return j < i

    T = te.compute((m, n, n), lambda b, i, j: X[b, i, j] * 2, name="T", domain=below)
    Y = te.compute((m, n, n), lambda b, i, j: T[b, i, j] + 1, name="Y", domain=below)
    s = te.create_schedule(Y)
    separator = [te.AXIS_SEPARATOR] if place == "apart" else []
    s[T].transform_layout(lambda b, i, j: [b, *separator, te.packed(i, j)])
    s[Y].transform_layout(lambda b, i, j: [b, te.packed(i, j)])
    if place == "in two copies":
        s[T].compute_at(s[Y], Y.op.axis[0])
        s[T].double_buffer()
    double = teloom.build(s, [X, Y])
    for count, size in ((0, 3), (2, 0), (2, 1), (3, 7)):
        given = RNG.integers(100, size=(count, size, size), dtype="int32")
        found = np.zeros((count, size * (size + 1) // 2), "int32")
        double(given, found)
        expected = np.tril(2 * given + 1, -1)[:, *np.tril_indices(size)]
        np.testing.assert_array_equal(found, expected)


def test_a_triangle_that_data_names():
    """Nothing is known of which triangle is read, but of where in it."""
    m, n = te.var("m"), te.var("n")
    X, p = te.placeholder((m, n, n), name="X"), te.placeholder((n,), "int32", name="p")
    Y = te.compute((n, n), lambda i, j: X[te.bounded(p[i], 0, m), i, j], name="Y", domain=lower)
    s = te.create_schedule(Y)
    s[X].transform_layout(lambda b, i, j: [b, te.packed(i, j)])
    given, rows_of = RNG.random((3, 5, 5)).astype("float32"), np.array([2, 0, 1, 1, 0], "int32")
    found = np.zeros((5, 5), "float32")
    packed = np.ascontiguousarray(given[:, *np.tril_indices(5)])
    teloom.build(s, [X, p, Y])(packed, rows_of, found)
    np.testing.assert_array_equal(found, np.tril(given[rows_of, range(5)]))


def test_rows_from_the_third_on():
    """What is stored begins at row 3, which has more columns than one."""
    n = te.var("n")
    A = te.placeholder((n, n), name="A")
    T = te.compute((n, n), lambda i, j: A[i, j] + 1, name="T", domain=lower)
    B = te.compute((n, n), lambda i, j: T[i, j], name="B", domain=lambda i, j: [j <= i, i >= 3])
    s = te.create_schedule(B)
    s[T].transform_layout(lambda i, j: [te.packed(i, j)])
    with pytest.raises(teloom.ScheduleError, match=r"counted from \[3, 0\], where the region"):
        teloom.lower(s, [A, B])


def test_bytes_of_a_triangle():
    A = te.placeholder((20, 20), name="A")
    T = te.compute((20, 20), lambda i, j: A[i, j] + 1, name="T", domain=lower)
    B = te.compute((20, 20), lambda i, j: T[i, j] + 1, name="B", domain=lower)
    s = te.create_schedule(B)
    s[T].transform_layout(lambda i, j: [te.packed(i, j)])
    assert te.explain(s)[0].stored == 210 * 4
    assert "stack  840" in str(teloom.memory_report(s, [A, B]))


def test_an_array_of_another_length():
    n = te.var("n")
    A = te.placeholder((n, n), name="A")
    B = te.compute((n, n), lambda i, j: A[i, j] + 1, name="B", domain=lower)
    s = te.create_schedule(B)
    for tensor in (A, B):
        s[tensor].transform_layout(lambda i, j: [te.packed(i, j)])
    function = teloom.build(s, [A, B], name="f")
    said = (
        r"f: argument A has shape \(7,\), expected \(6,\): its axis 0 must equal 6, the elements "
        "of a packed triangle with rows n = 3, taken from A"
    )
    with pytest.raises(teloom.CallError, match=said):
        function(np.zeros(7, "float32"), np.zeros(7, "float32"))
    with pytest.raises(teloom.CallError, match=r"A has 2 axes, shape .*, expected 1 axes"):
        function(np.zeros((3, 3), "float32"), np.zeros(6, "float32"))


def _of(n, domain, read=lambda T, i, j: T[i, j]):
    A = te.placeholder((n, n), name="A")
    T = te.compute((n, n), lambda i, j: A[i, j] + 1, name="T", domain=domain)
    B = te.compute((n, n), lambda i, j: read(T, i, j), name="B", domain=domain)
    return te.create_schedule(B), A, T, B


@pytest.mark.parametrize(
    ("domain", "mapping", "words"),
    [
        (
            None,
            lambda i, j: [te.packed(i, j)],
            r'"T" cannot be packed: its element \[0, 1\] has row 0 and column 1, for n = 2, and '
            "of row r the layout has columns 0 to r; give it a domain that is such a triangle",
        ),
        (
            lower,
            lambda i, j: [te.packed(i, j, "upper")],
            r"element \[1, 0\] has row 1 and column 0, for n = 2, and of row r the layout has "
            "columns r to the last",
        ),
        (lower, lambda i, j: [te.packed(i, j), i], "te.packed gives its last coordinates"),
        (lower, lambda i, j: te.packed(i, j), "gives a list of expressions, got Packed"),
        (lower, lambda i, j: [te.packed(i * j, j)], "is no affine expression of its data axes"),
        (lower, lambda i, j: [te.packed(i, j, *["left"])], "or an upper triangle, not 'left'"),
    ],
)
def test_what_is_no_packed_layout(domain, mapping, words: str):
    s, A, T, B = _of(te.var("n"), domain)

    def lowered():
        s[T].transform_layout(mapping)
        return teloom.lower(s, [A, B])

    with pytest.raises(teloom.ScheduleError, match=words):
        lowered()


def test_commands_that_want_boxes():
    for command, words in (
        (lambda stage, i: stage.storage_align(i, 32, 1), 'i of "T" has no stride to align'),
        (lambda stage, i: stage.fold_storage(i, 3), '"T" cannot be packed and folded along i'),
    ):
        for is_first in (True, False):
            s, A, T, B = _of(te.var("n"), lower)
            if is_first:
                command(s[T], T.op.axis[0])
            s[T].transform_layout(lambda i, j: [te.packed(i, j)])
            if not is_first:
                command(s[T], T.op.axis[0])
            with pytest.raises(teloom.ScheduleError, match=words):
                teloom.lower(s, [A, B])


def test_reads_beside_the_triangle():
    """Of an array of the caller nothing says what it has: each read is in its triangle."""
    n = te.var("n")
    A = te.placeholder((n, n), name="A")
    B = te.compute((n, n), lambda i, j: A[i, j] + A[j, i], name="B")
    s = te.create_schedule(B)
    s[A].transform_layout(lambda i, j: [te.packed(i, j)])
    said = r"A\[0, 1\] is read, for n = 2, but the layout .* packed lower has no place for it: of "
    with pytest.raises(teloom.ScheduleError, match=said + r"row r it has columns 0 to r"):
        teloom.lower(s, [A, B])


def test_a_tile_of_a_triangle_is_none():
    s, A, T, B = _of(te.var("n"), lower)
    _, jo, *_ = s[B].tile(*B.op.axis, 8, 8)
    s[T].compute_at(s[B], jo)
    s[T].transform_layout(lambda i, j: [te.packed(i, j)])
    said = r"counted from \[i.outer \* 8, j.outer \* 8\], where the region starts"
    with pytest.raises(teloom.ScheduleError, match=said):
        teloom.lower(s, [A, B])
