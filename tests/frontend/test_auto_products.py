"""Schedules by rules of products of a tensor with itself, of whole ones and of triangles."""

import re
from dataclasses import replace

import numpy as np
import pytest
from budget import each, is_chosen, pairs

import teloom
from teloom import te, topi

V3, V4 = teloom.target("x86-64-v3"), teloom.target("x86-64-v4")


def gram(n, m, first, is_triangle, is_computed):
    """A A', or A' A if `first` is the second dimension; of A or of A less a row."""
    A, row = te.placeholder((n, m), name="A"), te.placeholder((m,), name="row")
    moved = te.compute((n, m), lambda i, j: A[i, j] - row[j], name="moved")
    X = moved if is_computed else A
    extent, terms = (n, m) if first == 0 else (m, n)
    k = te.reduce_axis((0, terms), "k")
    C = te.compute(
        (extent, extent),
        lambda i, j: te.sum(X[i, k] * X[j, k] if first == 0 else X[k, i] * X[k, j], axis=k),
        name="C",
        domain=(lambda i, j: j <= i) if is_triangle else None,
    )
    return [A, row, C] if is_computed else [A, C]


@pytest.mark.parametrize(
    ("first", "is_triangle", "is_computed"), pairs((0, 1), (False, True), (False, True))
)
def test_products_of_a_tensor_with_itself_read_panels(first, is_triangle, is_computed):
    given = gram(70, 53, first, is_triangle, is_computed)
    s = te.create_schedule(given[-1])
    reasons = te.auto_schedule(s, V3)
    name = "moved" if is_computed else "A.global"
    assert f"{name}: panels of 8 are in the order in which tiles read them" in reasons
    run = teloom.build(s, given)
    rng = np.random.default_rng(0)
    inputs = [rng.random(one.shape, dtype="float32") for one in given[:-1]]
    x = inputs[0] - inputs[1] if is_computed else inputs[0]
    expected = x @ x.T if first == 0 else x.T @ x
    run(*inputs, found := np.zeros(expected.shape, "float32"))
    np.testing.assert_allclose(found, np.tril(expected) if is_triangle else expected, rtol=1e-5)


@pytest.mark.parametrize("is_triangle", [False, True])
def test_products_of_symbolic_extents(is_triangle):
    given = gram(te.var("n"), te.var("m"), 0, is_triangle, False)
    s = te.create_schedule(given[-1])
    te.auto_schedule(s, V3)
    run = teloom.build(s, given)
    for n, m in [(0, 3), (1, 1), (16, 0), (33, 7), (50, 20)]:
        a = np.random.default_rng(0).random((n, m), dtype="float32")
        run(a, found := np.zeros((n, n), "float32"))
        expected = a @ a.T
        np.testing.assert_allclose(found, np.tril(expected) if is_triangle else expected, rtol=1e-5)


def test_terms_of_several_instructions_leave_registers_for_themselves():
    A, B = (te.placeholder((100, 90), "float64", name=name) for name in "AB")
    k = te.reduce_axis((0, 90), "k")

    def both(i, j):
        return te.sum(A[j, k] * B[i, k] + B[j, k] * A[i, k], axis=k)

    C = te.compute((100, 100), both, name="C", domain=lambda i, j: j <= i)
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3)
    assert reasons[0] == "C.global: tiles of 4 x 8 elements of C stay in registers for all terms"
    a, b = np.random.default_rng(0).random((2, 100, 90))
    teloom.build(s, [A, B, C])(a, b, found := np.zeros((100, 100)))
    np.testing.assert_allclose(found, np.tril(b @ a.T + a @ b.T), rtol=1e-12)


def test_a_small_matrix_meets_each_tile_of_the_rows_of_a_large_tensor():
    A, B = te.placeholder((9, 30, 40), name="A"), te.placeholder((40, 37), name="B")
    k = te.reduce_axis((0, 40), "k")
    C = te.compute((9, 30, 37), lambda i, j, n: te.sum(A[i, j, k] * B[k, n], axis=k), name="C")
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, replace(V3, caches=(4096, 16384, 2**20)))
    assert reasons[1] == "B.global: panels of 8 are in the order in which tiles read them"
    order = [axis.name for axis in s[C].leaf_iter_vars]
    assert order == ["i", "j.outer", "n.outer", "j.inner", "n.inner"]
    rng = np.random.default_rng(0)
    a, b = rng.random((9, 30, 40), dtype="float32"), rng.random((40, 37), dtype="float32")
    teloom.build(s, [A, B, C])(a, b, found := np.empty((9, 30, 37), "float32"))
    np.testing.assert_allclose(found, a @ b, rtol=1e-5)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_few_rows_share_what_is_folded_by_lanes(rows):
    A, B = te.placeholder((rows, 50), name="A"), te.placeholder((33, 50), name="B")
    k = te.reduce_axis((0, 50), "k")
    C = te.compute((rows, 33), lambda i, j: te.sum(A[i, k] * B[j, k], axis=k), name="C")
    s = te.create_schedule(C)
    assert te.auto_schedule(s, V3) == ["C: lanes fold k, which is contiguous, in 4 rows at once"]
    order = [axis.name for axis in s[C].leaf_iter_vars]
    inner = ["i", "k.outer"] if rows == 1 else ["k.outer", "i"]
    assert order == ["j.outer", *inner, "j.inner", "k.inner"]
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, B))
    teloom.build(s, [A, B, C])(a, b, found := np.empty((rows, 33), "float32"))
    np.testing.assert_array_equal(found, a @ b.T)


@pytest.mark.parametrize(
    ("rows", "columns", "target", "at_once"),
    [
        (4, 33, "x86-64-v3", 3),
        (7, 33, "x86-64-v3", 3),
        (6, 33, "x86-64-v4", 4),
        (13, 33, "x86-64-v4", 3),
        (40, 7, "x86-64-v3", 3),
        (40, 15, "x86-64-v4", 3),
    ],
)
def test_few_long_dot_products_are_folded_by_lanes(rows, columns, target, at_once):
    A, B = te.placeholder((rows, 150), name="A"), te.placeholder((columns, 150), name="B")
    C = topi.nn.dense(A, B)
    s = te.create_schedule(C)
    (reason,) = te.auto_schedule(s, target, num_threads=1)
    assert reason == f"dense: lanes fold k, which is contiguous, in {at_once} rows at once"
    if not is_chosen((rows, columns), [(7, 33), (6, 33), (40, 7)]):
        return
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, B))
    teloom.build(s, [A, B, C])(a, b, found := np.empty((rows, columns), "float32"))
    np.testing.assert_array_equal(found, a @ b.T)


@pytest.mark.parametrize(("rows", "columns"), [(3, 33), (7, 33), (1, 33), (40, 5), (7, 2)])
def test_an_epilogue_of_few_dot_products_follows_each_block_of_them(rows, columns):
    A, B = te.placeholder((rows, 150), name="A"), te.placeholder((columns, 150), name="B")
    bias = te.placeholder((columns,), name="bias")
    C = topi.nn.relu(topi.nn.dense(A, B, bias))
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3)
    assert any("dense: lanes fold k" in one for one in reasons)
    assert any("strips" in one for one in reasons) == (rows == 1)
    if not is_chosen((rows, columns), [(7, 33), (1, 33), (40, 5), (7, 2)]):
        return
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, B, bias))
    teloom.build(s, [A, B, bias, C])(a, b, c, found := np.empty((rows, columns), "float32"))
    np.testing.assert_array_equal(found, np.maximum(a @ b.T + c, 0))


@pytest.mark.parametrize(("rows", "columns", "terms"), [(8, 33, 150), (7, 33, 50), (40, 8, 150)])
def test_other_dot_products_are_tiles(rows, columns, terms):
    A, B = te.placeholder((rows, terms), name="A"), te.placeholder((columns, terms), name="B")
    reasons = te.auto_schedule(te.create_schedule(topi.nn.dense(A, B)), V3)
    assert "stay in registers for all terms" in reasons[0]


def test_a_factor_of_rows_alone_is_read_where_it_is():
    A, B, v = (
        te.placeholder(shape, name=name)
        for shape, name in zip([(40, 50), (40, 60), (50,)], "ABv", strict=True)
    )
    k = te.reduce_axis((0, 40), "k")
    C = te.compute((50, 60), lambda i, j: te.sum(A[k, i] * B[k, j] * v[i], axis=k), name="C")
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, replace(V3, caches=(1024, 16384, 2**20)))
    assert "A.global: transposed, so that k is contiguous for each row" in reasons
    assert not any(reason.startswith("v.") for reason in reasons)
    rng = np.random.default_rng(0)
    a, b, x = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, B, v))
    teloom.build(s, [A, B, v, C])(a, b, x, found := np.empty((50, 60), "float32"))
    np.testing.assert_array_equal(found, (a.T * x[:, None]) @ b)


@pytest.mark.parametrize("epilogue", [False, True])
@pytest.mark.parametrize(
    ("rows", "terms", "columns", "at_once"),
    [(2, 60, 70, 80), (7, 33, 2100, 144), (12, 48, 1024, 80), (13, 16, 1500, 72)],
)
def test_few_rows_by_a_matrix_that_no_cache_holds_read_its_rows_whole(
    rows, terms, columns, at_once, epilogue
):
    A, B = te.placeholder((rows, terms), name="A"), te.placeholder((terms, columns), name="B")
    C = product(A, B)
    out = mapped(lambda x: te.max(x, 0.5), C, "out") if epilogue else C
    s = te.create_schedule(out)
    reasons = te.auto_schedule(s, replace(V3, caches=(4096, 8192, 2**20)), num_threads=1)
    words = f": 8 terms at a time are added to {at_once} columns"
    assert any(one.endswith(words) for one in reasons)
    assert not any("panel" in one for one in reasons)
    if not is_chosen((rows, epilogue), [(2, False), (7, True), (12, False), (13, True)]):
        return
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, B))
    teloom.build(s, [A, B, out])(a, b, found := np.empty((rows, columns), "float32"))
    np.testing.assert_array_equal(found, np.maximum(a @ b, 0.5) if epilogue else a @ b)


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(
    ("rows", "terms", "columns", "at_once"), [(37, 250, 260, 64), (40, 129, 1100, 256)]
)
def test_some_rows_by_a_matrix_that_no_cache_holds_pack_chunks_of_it(
    rows, terms, columns, at_once, is_turned
):
    A = te.placeholder((terms, rows) if is_turned else (rows, terms), name="A")
    B = te.placeholder((terms, columns), name="B")
    C = topi.nn.relu(topi.matmul(A, B, is_turned))
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, replace(V3, caches=(4096, 16384, 2**20)))
    assert f"matmul: 128 terms at a time are added to {at_once} columns" in reasons
    assert "B.global: 128 of its rows are packed at a time" in reasons
    if not is_chosen((rows, is_turned), [(37, True), (40, False)]):
        return
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, B))
    teloom.build(s, [A, B, C])(a, b, found := np.empty((rows, columns), "float32"))
    np.testing.assert_array_equal(found, np.maximum((a.T if is_turned else a) @ b, 0))


@pytest.mark.parametrize(
    ("rows", "terms", "columns", "epilogue"), [(130, 150, 520, False), (131, 133, 1030, True)]
)
def test_narrow_tiles_of_many_rows_meet_many_columns_before_the_next_rows(
    rows, terms, columns, epilogue
):
    A, B = te.placeholder((rows, terms), name="A"), te.placeholder((terms, columns), name="B")
    C = topi.matmul(A, B)
    out = mapped(lambda x: te.max(x, 0.5), C, "out") if epilogue else C
    s = te.create_schedule(out)
    machine = replace(V3, caches=(4096, 8192, 2**20))
    reasons = te.auto_schedule(s, machine, num_threads=1)
    assert "B.global: 64 of its rows are packed at a time" in reasons
    assert "A.global: the rows of a tile lie side by side" in reasons
    order = r"schedule.reorder %k0.outer, %i0\S*.outer, %i1\S*.outer\S*, "
    assert any(re.match(order, command) for command in s.schedule_record)
    if not is_chosen(epilogue, [True]):
        return
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, B))
    teloom.build(s, [A, B, out])(a, b, found := np.empty((rows, columns), "float32"))
    np.testing.assert_array_equal(found, np.maximum(a @ b, 0.5) if epilogue else a @ b)


LONG = replace(V3, caches=(4096, 8192, 2**20))


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        (33, 32, "added to 32 columns"),
        (40, 47, "added to 47 columns"),
        (128, 260, "added to 260 columns"),
        (31, 1100, "added to 1024 columns"),
    ],
)
def test_many_terms_are_added_in_chunks(rows: int, columns: int, words: str, is_turned: bool):
    A = te.placeholder((133, rows) if is_turned else (rows, 133), name="A")
    B = te.placeholder((133, columns), name="B")
    C = topi.matmul(A, B, is_turned)
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, LONG, num_threads=1)
    assert f"matmul.global: 64 terms at a time are {words}" in reasons
    is_packed = columns > 32
    assert ("B.global: 64 of its rows are packed at a time" in reasons) == is_packed
    is_apart = not is_turned or rows == 128
    assert ("A.global: the rows of a tile lie side by side" in reasons) == is_apart
    if not is_chosen((rows, is_turned), [(33, False), (40, True), (128, True), (31, False)]):
        return
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, one.shape).astype("float32") for one in (A, B))
    teloom.build(s, [A, B, C])(a, b, found := np.empty((rows, columns), "float32"))
    np.testing.assert_array_equal(found, (a.T if is_turned else a) @ b)


@pytest.mark.parametrize("is_triangle", [False, True])
@pytest.mark.parametrize(("n", "is_packed"), [(32, False), (70, True)])
def test_many_terms_of_a_tensor_with_itself_are_packed_once(n: int, is_packed: bool, is_triangle):
    given = gram(300, n, 1, is_triangle, False)
    s = te.create_schedule(given[-1])
    reasons = te.auto_schedule(s, LONG, num_threads=1)
    sums = "C.global" if is_triangle else "C.triangle.global"
    assert f"{sums}: 128 terms at a time are added to {n} columns" in reasons
    assert [one for one in reasons if one.startswith("A.")] == (
        ["A.global: 128 of its rows are packed at a time"] if is_packed else []
    )
    if not is_chosen((n, is_triangle), [(32, False), (70, True)]):
        return
    a = np.random.default_rng(0).integers(-4, 5, (300, n)).astype("float32")
    teloom.build(s, given)(a, found := np.zeros((n, n), "float32"))
    np.testing.assert_array_equal(found, np.tril(a.T @ a) if is_triangle else a.T @ a)


@pytest.mark.parametrize("target", [V3, V4])
@pytest.mark.parametrize("n", [40, 48, 100])
def test_tiles_on_the_diagonal_are_whole(n, target):
    given = gram(5000, n, 1, False, False)
    s = te.create_schedule(given[-1])
    te.auto_schedule(s, target, num_threads=1)
    code = str(teloom.lower(s, given, level="loop", target=target))
    before, products, _ = code.partition("arith.mulf")
    assert products
    loops = [line for line in before.splitlines() if "loop.for" in line]
    assert re.search(r"= 0 to \d+ vectorized", loops[-1])
    assert "scf.if" not in before[before.rindex("loop.for") :]


def test_threads_share_the_columns_of_chunks():
    A, B = te.placeholder((33, 133), name="A"), te.placeholder((133, 600), name="B")
    s = te.create_schedule(C := topi.matmul(A, B))
    reasons = te.auto_schedule(s, LONG, num_threads=2)
    assert "matmul.global: 64 terms at a time are added to 304 columns" in reasons
    assert any("schedule.parallel" in one for one in s.schedule_record)
    a, b = np.ones((33, 133), "float32"), np.ones((133, 600), "float32")
    teloom.build(s, [A, B, C], num_threads=2)(a, b, found := np.empty((33, 600), "float32"))
    np.testing.assert_array_equal(found, np.full((33, 600), 133, "float32"))


@pytest.mark.parametrize(("target", "threads"), [("znver4", 1), (V3, 4)])
def test_wide_tiles_and_short_parts_of_threads_meet_all_rows_at_once(target, threads):
    A, B = te.placeholder((4096, 2048), name="A"), te.placeholder((2048, 1024), name="B")
    reasons = te.auto_schedule(te.create_schedule(topi.matmul(A, B)), target, num_threads=threads)
    assert not any("terms at a time" in one for one in reasons)


def test_a_turned_tile_does_not_transpose_a_large_matrix_for_few_rows():
    A, B = te.placeholder((32, 4096), name="A"), te.placeholder((4096, 4096), name="B")
    reasons = te.auto_schedule(te.create_schedule(product(A, B)), V3)
    assert not any("transposed" in one for one in reasons)


def test_many_rows_by_a_matrix_that_no_cache_holds_read_panels():
    A, B = te.placeholder((64, 60), name="A"), te.placeholder((60, 700), name="B")
    reasons = te.auto_schedule(
        te.create_schedule(product(A, B)), replace(V3, caches=(4096, 8192, 2**20))
    )
    assert "B.global: 4 panels are packed at a time" in reasons


@pytest.mark.parametrize("sizes", [(40, 515, 31), (61, 512, 33), None])
def test_panels_are_packed_together_where_threads_have_enough_of_them(sizes):
    m, n, k = sizes or map(te.size_var, "mnk")
    A, B = te.placeholder((m, k), name="A"), te.placeholder((k, n), name="B")
    s = te.create_schedule(C := product(A, B))
    assert "B.global: 4 panels are packed at a time" in te.auto_schedule(s, V3, num_threads=2)
    run = teloom.build(s, [A, B, C])
    for rows, columns, terms in [sizes] if sizes else [(13, 515, 31), (1, 1, 1), (7, 65, 0)]:
        multiplies(run, rows, columns, terms)
    reasons = te.auto_schedule(te.create_schedule(product(A, B)), V3, num_threads=32)
    one = "packed by the first tile that reads it" if sizes else "read once per tile"
    assert any(reason.startswith(f"B.global: a panel is {one}") for reason in reasons)


def multiplies(run, rows, columns, terms):
    """Runs a product of matrices of these sizes, and compares it with NumPy's."""
    rng = np.random.default_rng(0)
    a, b = (rng.random(one, dtype="float32") for one in [(rows, terms), (terms, columns)])
    run(a, b, found := np.full((rows, columns), np.nan, "float32"))
    np.testing.assert_allclose(found, a @ b, rtol=1e-5)


def product(X, Y, name="C"):
    k = te.reduce_axis((0, X.shape[1]), "k")
    shape = X.shape[0], Y.shape[1]
    return te.compute(shape, lambda i, j: te.sum(X[i, k] * Y[k, j], axis=k), name=name)


def mapped(of, X, name="mapped"):
    return te.compute(X.shape, lambda *at: of(X[at]), name=name)


def turned(X, name="turned"):
    return te.compute(X.shape[::-1], lambda i, j: X[j, i], name=name)


OPERANDS = {
    "turned": (turned, lambda b: b.T, "turned: panels of 8 are in the order"),
    "upside down": (
        lambda B: te.compute(B.shape, lambda i, j: B[B.shape[0] - 1 - i, j], name="moved"),
        lambda b: b[::-1],
        "B.global: a panel is read once per tile",
    ),
    "computed": (
        lambda B: turned(turned(mapped(lambda x: te.max(x, 0.5), B))),
        lambda b: np.maximum(b, 0.5),
        "turned_1: panels of 8 are in the order in which tiles read them",
    ),
    "turned and computed": (
        lambda B: turned(mapped(lambda x: te.exp(-x), B)),
        lambda b: np.exp(-b).T,
        "turned: panels of 8 are in the order in which tiles read them",
    ),
    "computed turned": (
        lambda B: mapped(lambda x: te.exp(-x), turned(B)),
        lambda b: np.exp(-b).T,
        "mapped: panels of 8 are in the order in which tiles read them",
    ),
}


OTHERS = [(0, 3, 5), (1, 1, 1), (19, 64, 32), (18, 5, 17)]
RUN = [*((name, (70, 33, 70)) for name in OPERANDS), *zip(OPERANDS, OTHERS, strict=False)]


@pytest.mark.parametrize("sizes", [(70, 33, 70), *OTHERS])
@pytest.mark.parametrize("name", OPERANDS)
def test_what_lanes_read_is_packed_wherever_it_is_computed(name, sizes):
    made, expected, reason = OPERANDS[name]
    n, m, w = sizes
    rng = np.random.default_rng(0)
    a, b = rng.random((n, m), dtype="float32"), rng.random((m, w), dtype="float32")
    if "turned" in name:
        b = b.T.copy()
    A, B = te.placeholder((n, m), name="A"), te.placeholder(b.shape, name="B")
    C = product(A, made(B))
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3)
    if n == 70:
        assert any(one.startswith(reason) for one in reasons), reasons
    if not is_chosen((name, sizes), RUN):
        return
    teloom.build(s, [A, B, C])(a, b, found := np.empty((n, w), "float32"))
    np.testing.assert_allclose(found, a @ expected(b), rtol=1e-5)


@pytest.mark.parametrize("n", [0, 1, 33, 50])
@pytest.mark.parametrize("is_computed", [False, True])
def test_a_matrix_times_itself_reads_panels(is_computed, n):
    A = te.placeholder((n, n), name="A")
    X = mapped(lambda x: te.exp(-x), A) if is_computed else A
    C = product(X, X)
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3)
    if n > 40:
        name = "mapped" if is_computed else "A.global"
        assert f"{name}: panels of 16 are in the order in which tiles read them" in reasons
    if not is_chosen((n, is_computed), [(0, True), (1, False), (33, False), (50, True)]):
        return
    a = np.random.default_rng(0).random((n, n), dtype="float32")
    teloom.build(s, [A, C])(a, found := np.empty((n, n), "float32"))
    x = np.exp(-a) if is_computed else a
    np.testing.assert_allclose(found, x @ x, rtol=1e-5)


def test_a_sum_of_a_pointwise_product_is_a_product():
    A, B = te.placeholder((40, 33), name="A"), te.placeholder((33, 70), name="B")
    P = te.compute((40, 33, 70), lambda i, k, j: A[i, k] * B[k, j], name="P")
    k = te.reduce_axis((0, 33), "k")
    C = te.compute((40, 70), lambda i, j: te.sum(P[i, k, j], axis=k), name="C")
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3)
    assert "B.global: a panel is read once per tile, in the order of memory" in reasons
    a, b = np.random.default_rng(0).random((2, 70, 70), dtype="float32")
    a, b = a[:40, :33].copy(), b[:33].copy()
    teloom.build(s, [A, B, C])(a, b, found := np.empty((40, 70), "float32"))
    np.testing.assert_allclose(found, a @ b, rtol=1e-5)


def test_a_product_of_a_product_packs_it():
    A, B, C = (te.placeholder((70, 70), name=name) for name in "ABC")
    D = product(A, product(B, C, "D"), "E")
    s = te.create_schedule(D)
    reasons = te.auto_schedule(s, V3)
    assert "D.global: a panel is read once per tile, in the order of memory" in reasons
    a, b, c = np.random.default_rng(0).random((3, 70, 70), dtype="float32")
    teloom.build(s, [A, B, C, D])(a, b, c, found := np.empty((70, 70), "float32"))
    np.testing.assert_allclose(found, a @ (b @ c), rtol=1e-5)


@pytest.mark.parametrize("is_turned", [False, True])
def test_an_epilogue_of_several_products_reads_tiles_of_one_and_the_others_stored(is_turned):
    A, B, W, V = (te.placeholder((40, 40), name=name) for name in "ABWV")
    gate, value = product(mapped(lambda x: te.max(x, 0.5), A), W, "gate"), product(B, V, "value")

    def gated(i, j):
        return te.exp(-gate[i, j]) * (value[j, i] if is_turned else value[i, j])

    C = te.compute((40, 40), gated, name="C")
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3)
    assert sum("stay in registers for all terms" in one for one in reasons) == 2
    a, b, w, v = np.random.default_rng(0).random((4, 40, 40), dtype="float32")
    teloom.build(s, [A, B, W, V, C])(a, b, w, v, found := np.empty((40, 40), "float32"))
    other = b @ v
    expected = np.exp(-(np.maximum(a, 0.5) @ w)) * (other.T if is_turned else other)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_product_with_few_columns_folds_lanes_of_the_contiguous_axis(columns, transposed):
    n, m = 67, 130
    A, B = te.placeholder((n, m), name="A"), te.placeholder((m, columns), name="B")
    C = topi.matmul(A, B)
    if transposed:  # few rows by a matrix whose rows are contiguous
        B = te.placeholder((columns, m), name="B")
        C = topi.nn.dense(B, A)
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3, num_threads=2)
    *copied, reason = reasons[: 1 if transposed or columns == 1 else 2]
    shared = reasons[len(copied) + 1 :]
    assert all(one.endswith("lie side by side") for one in copied)
    assert reason.endswith(", which is contiguous, in 4 rows at once")
    assert all("threads share the iterations of" in line for line in shared)
    if not is_chosen((columns, transposed), [(1, False), (1, True), (2, True), (3, False)]):
        return
    rng = np.random.default_rng(0)
    a, b = (rng.random(one.shape, dtype="float32") for one in (A, B))
    arrays = [b, a] if transposed else [a, b]
    order = [B, A] if transposed else [A, B]
    expected = b @ a.T if transposed else a @ b
    teloom.build(s, [*order, C])(*arrays, found := np.zeros(expected.shape, "float32"))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("sizes", [(530, 70, 67), (te.var("k"), te.var("n"), te.var("m"))])
def test_rows_that_are_apart_for_many_terms_are_transposed(sizes):
    k, n, m = sizes
    A, B = te.placeholder((k, n), name="A"), te.placeholder((k, m), name="B")
    C = topi.matmul(A, B, transp_a=True)
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V3)
    assert "A.global: transposed, so that k0 is contiguous for each row" in reasons
    run = teloom.build(s, [A, B, C])
    rng = np.random.default_rng(0)
    others = [(1, 1, 1), (0, 3, 2), (9, 40, 3)]
    for shape in [sizes] if isinstance(k, int) else [(530, 70, 67), *others]:
        a, b = (rng.random((shape[0], one), dtype="float32") for one in shape[1:])
        run(a, b, found := np.zeros(shape[1:], "float32"))
        np.testing.assert_allclose(found, a.T @ b, rtol=1e-5)


def test_a_row_by_a_matrix_adds_its_rows():
    A, B = te.placeholder((1, 300), name="A"), te.placeholder((300, 520), name="B")
    s = te.create_schedule(C := topi.matmul(A, B))
    reasons = te.auto_schedule(s, V3, num_threads=2)
    assert reasons[0].endswith("8 rows at a time are added, of 264 elements at most")
    rng = np.random.default_rng(0)
    a, b = (rng.random(one.shape, dtype="float32") for one in (A, B))
    teloom.build(s, [A, B, C])(a, b, found := np.zeros((1, 520), "float32"))
    np.testing.assert_allclose(found, a @ b, rtol=1e-5)


def sum_and_most(A: te.Tensor, axis: int) -> te.Tensor:
    """The sums of the columns, of which the greatest elements are another result."""
    reducer = te.comm_reducer(
        lambda x, y: (x[0] + y[0], te.max(x[1], y[1])),
        lambda one, other: (te.const(0, one), te.min_value(other)),
    )
    k = te.reduce_axis((0, A.shape[axis]), "k")
    return te.compute((A.shape[1],), lambda j: reducer((A[k, j], A[k, j]), axis=k))[0]


@pytest.mark.parametrize(
    ("fold", "dtype", "threads", "most"),
    [
        (topi.sum, "float32", 1, 3000),
        (topi.sum, "float64", 1, 1800),
        (topi.sum, "float32", 8, 1128),
        (sum_and_most, "float32", 1, 1800),
    ],
)
def test_half_of_the_first_cache_has_sums_of_rows(fold, dtype, threads, most):
    A = te.placeholder((64, 9000), dtype, name="A")
    s = te.create_schedule(fold(A, axis=0))
    reasons = te.auto_schedule(s, V3, num_threads=threads)
    assert reasons[0].endswith(f"8 rows at a time are added, of {most} elements at most")


def test_a_vector_that_two_axes_read_of_a_product_of_any_size():
    n = te.var("n")
    F, A = te.placeholder((100,), name="F"), te.placeholder((100, 100), name="A")
    k, q = te.reduce_axis((0, n), "k"), te.reduce_axis((0, 3), "q")

    def term(i, j):
        inside = te.if_then_else(te.all(k < 100, i < 100), A[k, i], 0.0)
        return te.if_then_else(F[q] > 0.5, te.if_then_else(j < 100, F[j], 0.0), inside)

    C = te.compute((n, n), lambda i, j: te.sum(term(i, j), axis=[k, q]), name="C")
    rng = np.random.default_rng(0)
    f, a = rng.random(100, dtype="float32"), rng.random((100, 100), dtype="float32")
    teloom.build([n, F, A, C], num_threads=1)(17, f, a, c := np.empty((17, 17), "float32"))
    chosen = f[:3] > 0.5
    sums = a[:17, :17].sum(axis=0)
    expected = sum(17 * f[:17][None] if one else sums[:, None] for one in chosen) + np.zeros(
        (17, 17)
    )
    np.testing.assert_allclose(c, expected, rtol=1e-5)


def test_terms_that_a_size_divides():
    n, m = te.var("n"), te.var("m")
    A, V = te.placeholder((n, 3, m), name="A"), te.placeholder((5, m * 3), name="V")
    dense = topi.nn.dense(topi.nn.flatten(A), V)
    tiled = topi.max(topi.tile(A, (1, 1, 2)), 2)
    run = teloom.build([A, V, dense, tiled, topi.sum(topi.reshape(A, (n, m * 3)), 1)])
    for sizes in [(1, 1), (0, 3), (5, 0), (9, 17), (40, 33)]:
        rng = np.random.default_rng(0)
        a = rng.random((sizes[0], 3, sizes[1]), dtype="float32")
        v = rng.random((5, 3 * sizes[1]), dtype="float32")
        rows = a.reshape(sizes[0], -1) if a.size else np.zeros((sizes[0], 3 * sizes[1]), "float32")
        expected = rows @ v.T, np.tile(a, 2).max(axis=2, initial=-np.inf), rows.sum(axis=1)
        run(a, v, *(found := [np.empty(one.shape, "float32") for one in expected]))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, err_msg=str(sizes))


@pytest.mark.parametrize("terms", [1, 2, 8, 9])
@pytest.mark.parametrize(("rows", "columns"), [(5, 200), (3, 64), (1, 67)])
def test_a_product_of_few_terms_is_computed_as_it_is_written(terms, rows, columns):
    A, B = te.placeholder((rows, terms), name="A"), te.placeholder((terms, columns), name="B")
    k = te.reduce_axis((0, terms), "k")
    C = te.compute((rows, columns), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, teloom.target("x86-64-v3"))
    if rows > 1:
        assert any("tiles of 1 x" in one for one in reasons) == (terms <= 8)
    if not is_chosen((terms, rows), [(1, 5), (2, 3), (8, 5), (8, 1), (9, 3), (1, 1)]):
        return
    rng = np.random.default_rng(0)
    a, b = rng.random((rows, terms), "float32"), rng.random((terms, columns), "float32")
    teloom.build(s, [A, B, C])(a, b, c := np.empty((rows, columns), "float32"))
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_each_of_two_results_of_a_product_has_a_tile():
    real, imaginary = (te.placeholder((64, 64), name=name) for name in ("R", "I"))
    k = te.reduce_axis((0, 64), "k")
    zero = te.const(0, "float32")
    both = te.comm_reducer(
        lambda x, y: (x[0] + y[0], x[1] + y[1]), lambda *dtypes: (zero, zero), name="both"
    )

    def terms(i, j):
        a, b, c, d = real[i, k], imaginary[i, k], real[k, j], imaginary[k, j]
        return a * c - b * d, a * d + b * c

    C = te.compute((64, 64), lambda i, j: both(terms(i, j), axis=k), name="C")
    s = te.create_schedule(C[0])
    reasons = te.auto_schedule(s, "x86-64-v3")
    assert any("tiles of 2 x 16 elements" in one for one in reasons)
    r, i = np.random.default_rng(0).integers(0, 5, (2, 64, 64)).astype("float32")
    found = [np.empty_like(r), np.empty_like(r)]
    teloom.build(s, [real, imaginary, *C])(r, i, *found)
    product = (r + 1j * i) @ (r + 1j * i)
    np.testing.assert_array_equal(found, [product.real, product.imag])


@pytest.mark.parametrize(
    ("target", "sizes"),
    each([V3, "x86-64-v4"], [(100, 100, 100), (33, 130, 31), (70, 66, 0), (200, 129, 1), None]),
)
def test_the_first_tile_of_a_panel_packs_it(sizes, target):
    m, n, k = sizes or map(te.size_var, "mnk")
    A, B = te.placeholder((m, k), name="A"), te.placeholder((k, n), name="B")
    s = te.create_schedule(C := product(A, B))
    reasons = te.auto_schedule(s, target, num_threads=1)
    if sizes == (100, 100, 100):
        assert "B.global: a panel is packed by the first tile that reads it" in reasons
    run = teloom.build(s, [A, B, C])
    for rows, columns, terms in [sizes] if sizes else [(101, 515, 31), (1, 1, 1), (31, 65, 0)]:
        multiplies(run, rows, columns, terms)


def test_tiles_of_which_some_are_whole_find_their_panels_packed():
    A, B = te.placeholder((200, 200), name="A"), te.placeholder((200, 200), name="B")
    k = te.reduce_axis((0, 200), "k")

    def lower(i, j):
        return te.sum(A[i, k] * B[k, j], axis=k, where=k <= i)

    s = te.create_schedule(te.compute((200, 200), lower, name="C"))
    reasons = te.auto_schedule(s, V4, num_threads=1)
    assert "B.global: a panel is read once per tile, in the order of memory" in reasons


def test_an_element_is_packed_once():
    A, B = te.placeholder((100, 100), name="A"), te.placeholder((100, 100), name="B")
    s = te.create_schedule(product(A, B))
    te.auto_schedule(s, V3, num_threads=1)
    (panel,) = (one for one in te.explain(s) if one.name == "B.global")
    assert (panel.computed, panel.needed, panel.stored) == (100 * 100, 100 * 100, 100 * 16 * 4)


@pytest.mark.parametrize("target", [V3, V4])
@pytest.mark.parametrize(("rows", "columns", "terms"), [(100, 3, 1000), (33, 1, 257), (17, 2, 64)])
def test_what_lanes_would_read_here_and_there_is_stored_for_them(rows, columns, terms, target):
    A, B = te.placeholder((rows, terms), name="A"), te.placeholder((terms, columns), name="B")
    s = te.create_schedule(C := product(A, B))
    reasons = te.auto_schedule(s, target, num_threads=1)
    assert ("B.global: elements along k lie side by side" in reasons) is (columns > 1)
    rng = np.random.default_rng(0)
    a, b = rng.random((rows, terms), "float32"), rng.random((terms, columns), "float32")
    teloom.build(s, [A, B, C])(a, b, found := np.empty((rows, columns), "float32"))
    np.testing.assert_allclose(found, a @ b, rtol=1e-4)


@pytest.mark.parametrize("is_read", [False, True])
def test_weights_of_a_few_channels_are_stored_along_the_channels_of_the_image(is_read):
    X, W = te.placeholder((10, 12, 32), name="X"), te.placeholder((3, 3, 32, 3), name="W")
    dy, dx, c = (te.reduce_axis((0, n), name) for n, name in ((3, "dy"), (3, "dx"), (32, "c")))

    def fold(y, x, k):
        return te.sum(X[y + dy, x + dx, c] * W[dy, dx, c, k], axis=[dy, dx, c])

    C = te.compute((8, 10, 3), fold, name="C")
    if is_read:
        C = te.compute((8, 10, 3), lambda y, x, k: te.max(C[y, x, k] - 70, 0.0), name="D")
    s = te.create_schedule(C)
    reasons = te.auto_schedule(s, V4, num_threads=1)
    assert "W.global: elements along dx and c lie side by side" in reasons
    rng = np.random.default_rng(0)
    x, w = rng.random((10, 12, 32), "float32"), rng.random((3, 3, 32, 3), "float32")
    teloom.build(s, [X, W, C])(x, w, found := np.empty((8, 10, 3), "float32"))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (0, 1))
    wanted = np.einsum("yxcab,abck->yxk", windows, w)
    wanted = np.maximum(wanted - 70, 0) if is_read else wanted
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
