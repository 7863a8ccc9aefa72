"""`te.auto_schedule` of symmetric products, and of stages that differ along a diagonal."""

import numpy as np
import pytest
from budget import each

import teloom
from teloom import te
from teloom.analysis import symmetry

TARGET = "x86-64-v3"


def by_columns(n, terms, dtype="float32"):
    X, k = te.placeholder((terms, n), dtype, name="X"), te.reduce_axis((0, terms), "k")
    return X, te.compute((n, n), lambda i, j: te.sum(X[k, i] * X[k, j], axis=k), name="C")


def commands(*outputs, threads=1):
    s = te.create_schedule([one.op for one in outputs])
    return s, te.auto_schedule(s, TARGET, num_threads=threads)


def symmetrized(s) -> list[str]:
    return [line for line in s.schedule_record if "symmetrize" in line]


def test_a_product_of_many_terms_is_computed_on_one_side():
    _, C = by_columns(64, 128)
    s, said = commands(C)
    assert said[:2] == [
        "C.triangle: only where j <= i: C is the same where they change places",
        "C: tiles of 8 x 16 are transposed in registers",
    ]
    assert symmetrized(s) == ["%C.triangle = schedule.symmetrize %C, %i, %j"]


@pytest.mark.parametrize(("n", "terms"), [(64, 127), (31, 1000)])
def test_small_ones_are_computed_whole(n: int, terms: int):
    _, C = by_columns(n, terms)
    assert not symmetrized(commands(C)[0])


def test_what_is_not_symmetric_is_computed_whole():
    X, Y = (te.placeholder((200, 64), name=name) for name in "XY")
    k = te.reduce_axis((0, 200), "k")
    C = te.compute((64, 64), lambda i, j: te.sum(X[k, i] * Y[k, j], axis=k), name="C")
    assert not symmetrized(commands(C)[0])


def test_stages_of_the_user_are_theirs():
    _, C = by_columns(64, 200)
    s = te.create_schedule(C)
    s[C].vectorize(C.op.axis[1])
    te.auto_schedule(s, TARGET)
    assert not symmetrized(s)


def test_threads_take_iterations_of_unequal_length_one_by_one():
    _, C = by_columns(256, 500)
    s, _ = commands(C, threads=2)
    assert '%j.c.outer chunk "dynamic"' in "".join(s.schedule_record)


@pytest.mark.parametrize("n", [33, 64, 70])
def test_numbers(n: int):
    X, C = by_columns(n, 150)
    s, _ = commands(C, threads=2)
    assert symmetrized(s)
    x, c = np.random.default_rng(0).integers(-9, 9, (150, n)).astype("f4"), np.empty((n, n), "f4")
    teloom.build(s, [X, C])(x, c)
    np.testing.assert_array_equal(c, x.T @ x)


def test_stages_that_commands_have_made_are_left():
    X, C = by_columns(40, 200)
    s = te.create_schedule(C)
    s.cache_write(C, "global")
    te.auto_schedule(s, TARGET)
    assert not symmetrized(s)
    x = np.random.default_rng(0).integers(-4, 5, (200, 40)).astype("f4")
    teloom.build(s, [X, C])(x, c := np.empty((40, 40), "f4"))
    np.testing.assert_array_equal(c, x.T @ x)


def test_extents_that_only_the_call_knows():
    n, m = te.size_var("n"), te.size_var("m")
    X, C = by_columns(n, m)
    s, _ = commands(C)
    assert symmetrized(s) == ["%C.triangle = schedule.symmetrize %C, %i, %j"]
    run = teloom.build(s, [X, C])
    for shape in ((1, 1), (130, 3), (7, 40), (20, 100)):
        x = np.random.default_rng(0).integers(-4, 5, shape).astype("f4")
        run(x, c := np.empty((shape[1], shape[1]), "f4"))
        np.testing.assert_array_equal(c, x.T @ x)
    k = te.reduce_axis((0, m), "k")
    Y = te.compute((n, te.size_var("o")), lambda i, j: te.sum(X[k, i] * X[k, j], axis=k), name="Y")
    assert not symmetrized(commands(Y)[0])


def test_numbers_that_are_converted():
    X, k = te.placeholder((150, 40), "int8", name="X"), te.reduce_axis((0, 150), "k")

    def term(i, j):
        return te.sum(X[k, i].astype("int32") * X[k, j].astype("int32"), axis=k)

    C = te.compute((40, 40), term, name="C")
    s, _ = commands(C)
    assert symmetrized(s)
    x, c = (
        np.random.default_rng(0).integers(-99, 99, (150, 40)).astype("i1"),
        np.empty((40, 40), "i4"),
    )
    teloom.build(s, [X, C])(x, c)
    np.testing.assert_array_equal(c, x.T.astype("i4") @ x.astype("i4"))


def kernel(reader):
    """Sums of products of rows, norms, and what reads both."""
    X, k, one = te.placeholder((70, 130), name="X"), *(te.reduce_axis((0, 130), of) for of in "kl")
    C = te.compute((70, 70), lambda i, j: te.sum(X[i, k] * X[j, k], axis=k), name="C")
    q = te.compute((70,), lambda i: te.sum(X[i, one] * X[i, one], axis=one), name="q")
    D = te.compute((70, 70), lambda i, j: q[i] + q[j] - 2 * C[i, j], name="D")
    return X, C, te.compute((70, 70), lambda i, j: reader(D, q, i, j), name="K")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("reader", "expected", "half"),
    [
        (lambda D, q, i, j: te.exp(D[i, j] / -99), lambda d, q: np.exp(d / -99), "K"),
        (lambda D, q, i, j: D[j, i] * (q[i] * q[j]), lambda d, q: d * (q * q[:, None]), "K"),
        (lambda D, q, i, j: D[j, i] + q[j], lambda d, q: d + q, "D"),
        (lambda D, q, i, j: D[i, j] + D[0, j], lambda d, q: d + d[0], "D"),
    ],
    ids=["exp", "exchanged", "beside", "row"],
)
def test_the_last_stage_that_is_symmetric_is_copied(reader, expected, half, threads):
    X, _, K = kernel(reader)
    s, _ = commands(K, threads=threads)
    assert symmetrized(s) == [f"%{half}.triangle = schedule.symmetrize %{half}, %i, %j"]
    x = np.random.default_rng(0).integers(0, 4, (70, 130)).astype("f4")
    q = (x * x).sum(1)
    d = q[:, None] + q - 2 * (x @ x.T)
    teloom.build(s, [X, K], num_threads=threads)(x, found := np.empty((70, 70), "f4"))
    np.testing.assert_allclose(found, expected(d, q), rtol=1e-5)


def test_each_stage_behind_a_product_is_compared_once(monkeypatch):
    compared, find = [], symmetry._changed_value
    monkeypatch.setattr(
        symmetry, "_changed_value", lambda *of: (compared.append(of[0]), find(*of))[1]
    )
    _, last = by_columns(40, 200)
    for number in range(50):
        last = te.compute((40, 40), lambda i, j, C=last: C[i, j] + 1, name=f"C{number}")
    s, _ = commands(last)
    assert symmetrized(s) == ["%C49.triangle = schedule.symmetrize %C49, %i, %j"]
    assert len(compared) == len({*compared}) == 51


def test_a_product_that_others_want_is_copied_itself():
    _, C, K = kernel(lambda D, q, i, j: te.exp(D[i, j] / -99))
    s = te.create_schedule([C.op, K.op])
    te.auto_schedule(s, TARGET)
    assert symmetrized(s) == ["%C.triangle = schedule.symmetrize %C, %i, %j"]


def test_distances_in_batches_with_an_epilogue():
    X, k = te.placeholder((2, 35, 140), name="X"), te.reduce_axis((0, 140), "k")

    def square(b, i, j):
        d = X[b, i, k] - X[b, j, k]
        return te.sum(d * d, axis=k)

    D = te.compute((2, 35, 35), square, name="D")
    E = te.compute((2, 35, 35), lambda b, i, j: te.sqrt(D[b, i, j]) + te.exp(X[b, j, 0]), name="E")
    s, _ = commands(E)
    assert symmetrized(s) == ["%D.triangle = schedule.symmetrize %D, %i, %j"]
    x, e = np.random.default_rng(0).random((2, 35, 140)).astype("f4"), np.empty((2, 35, 35), "f4")
    teloom.build(s, [X, E])(x, e)
    d = ((x[:, :, None] - x[:, None]) ** 2).sum(-1)
    np.testing.assert_allclose(e, np.sqrt(d) + np.exp(x[:, None, :, 0]), rtol=1e-4)


CASES = {
    "lower": (lambda A, B, i, j: te.if_then_else(j <= i, A[j, i], 0.0), lambda a, b: np.tril(a.T)),
    "mirror": (
        lambda A, B, i, j: te.if_then_else(j <= i, A[i, j], A[j, i]),
        lambda a, b: np.tril(a) + np.tril(a, -1).T,
    ),
    "beside": (
        lambda A, B, i, j: te.if_then_else(j < 45, A[j, i], B[j - 45, i]),
        lambda a, b: np.concatenate([a[:45], b[:-45]]).T,
    ),
    "below": (
        lambda A, B, i, j: te.if_then_else(i < 3, A[j, i], B[j, i - 3]),
        lambda a, b: np.concatenate([a[:, :3], b[:, :-3]], axis=1).T,
    ),
    "band": (
        lambda A, B, i, j: te.if_then_else(te.all(j <= i + 5, i <= j + 9), A[j, i], B[i, j]),
        lambda a, b: np.where(np.tri(len(a), k=5) * np.tri(len(a), k=9).T > 0, a.T, b),
    ),
}


@pytest.mark.parametrize(("case", "n"), each([*CASES], [50, 150]))
def test_transpositions_with_cases(case: str, n: int):
    A, B = (te.placeholder((n, n), name=name) for name in "AB")
    body, expected = CASES[case]
    C = te.compute((n, n), lambda i, j: body(A, B, i, j), name="C")
    s, said = commands(C)
    assert said == ["C: tiles of 8 x 16 are transposed in registers"]
    a, b = np.random.default_rng(0).random((2, n, n)).astype("f4")
    c = np.full((n, n), np.nan, "f4")
    teloom.build(s, [A, B, C])(a, b, c)
    np.testing.assert_array_equal(c, expected(a, b))


@pytest.mark.parametrize("n", [31, 33, 130])
def test_rows_with_cases_stay_rows(n: int):
    """Where both axes are one, conditions on `i` and `j` do not divide the lanes."""
    A, B = (te.placeholder((n, n), name=name) for name in "AB")
    bodies = {
        "C": lambda i, j: te.if_then_else(j <= i, te.exp(A[i, j]), B[i, j]),
        "D": lambda i, j: te.if_then_else(te.all(j > 2, j < n - 1), A[i, j] * 2, 1.0),
        "E": lambda i, j: te.if_then_else(i + j < n, 0.0, A[i, j]),
    }
    made = [te.compute((n, n), body, name=name) for name, body in bodies.items()]
    s, said = commands(*made)
    way = (
        "vectors along j, which is contiguous" if n > 32 else "all elements are one axis of vectors"
    )
    assert sorted(said) == [f"{name}: {way}" for name in bodies]
    a, b = np.random.default_rng(0).random((2, n, n)).astype("f4")
    results = [np.full((n, n), np.nan, "f4") for _ in made]
    teloom.build(s, [A, B, *made])(a, b, *results)
    i, j = np.indices((n, n))
    np.testing.assert_allclose(results[0], np.where(j <= i, np.exp(a), b), rtol=1e-6)
    np.testing.assert_array_equal(results[1], np.where((j > 2) & (j < n - 1), a * 2, 1))
    np.testing.assert_array_equal(results[2], np.where(i + j < n, 0, a))


def test_threads_fold_the_terms_of_few_elements():
    X, C = by_columns(40, 4_000)
    s, said = commands(C, threads=2)
    assert "C.triangle: i.c, j.c are one axis, which tiles fill better" in said
    assert any("rfactor %C.triangle" in line for line in s.schedule_record)
    x = np.random.default_rng(0).integers(-3, 4, (4_000, 40)).astype("f4")
    teloom.build(s, [X, C], num_threads=2)(x, c := np.empty((40, 40), "f4"))
    np.testing.assert_array_equal(c, x.T @ x)


def test_a_tile_of_which_no_test_ever_holds():
    """Where a part is left over in which another test fails everywhere, no branch asks for it."""
    A, B = te.placeholder((96, 16), name="A"), te.placeholder((16, 96), name="B")
    k = te.reduce_axis((0, 16), "k")

    def element(i, j):
        there = te.any(j + k <= -8, i - j + 40 > 0)
        return te.sum(te.if_then_else(there, A[i, k] * B[k, j], 0.0), axis=k)

    C = te.compute((96, 96), element, name="C")
    s = te.create_schedule(C)
    L = s.cache_write(C, "local")
    _, j_outer, *_ = s[C].tile(*C.op.axis, 2, 48)
    s[L].compute_at(s[C], j_outer)
    i, j = L.op.axis
    s[L].reorder(*L.op.reduce_axis, i, j)
    s[L].unroll(i)
    s[L].vectorize(j)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-9, 9, shape).astype("float32") for shape in ((96, 16), (16, 96)))
    i, j = np.indices((96, 96))
    teloom.build(s, [A, B, C], target=TARGET)(a, b, c := np.ones((96, 96), "float32"))
    np.testing.assert_array_equal(c, np.where(i - j + 40 > 0, a @ b, 0))


SIDES = {
    "below": lambda i, j, both: j <= i,
    "above": lambda i, j, both: j >= i,
    "far above": lambda i, j, both: j >= i + 40,
    "band": lambda i, j, both: both(j <= i + 9, i <= j + 30),
    "other diagonal": lambda i, j, both: i + j <= 90,
}


@pytest.mark.parametrize(("side", "n"), each([*SIDES], [1, 64, 97, 150]))
def test_products_that_are_asked_for_on_one_side(side, n):
    A, B = te.placeholder((n, 20), name="A"), te.placeholder((20, n), name="B")
    k, there = te.reduce_axis((0, 20), "k"), SIDES[side]

    def element(i, j):
        return te.sum(A[i, k] * B[k, j], axis=k, where=there(i, j, te.all))

    C = te.compute((n, n), element, name="C")
    rng = np.random.default_rng(n)
    a, b = (rng.integers(-9, 9, shape).astype("float32") for shape in ((n, 20), (20, n)))
    expected = np.where(there(*np.indices((n, n)), np.logical_and), a @ b, 0)
    teloom.build([A, B, C], target=TARGET)(a, b, c := np.ones((n, n), "float32"))
    np.testing.assert_array_equal(c, expected)
