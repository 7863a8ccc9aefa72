"""Commands on reductions: what a schedule says of them, and their numbers, beside NumPy's."""

import numpy as np
import pytest

import teloom
from teloom import te

SIZES = [(0, 3), (1, 1), (5, 0), (7, 3), (16, 4), (1, 9)]


class Rows:
    """B is a reduction over both axes of A, of symbolic sizes."""

    def __init__(self, reducer=te.sum, dtype="float32", **options):
        self.n, self.m = te.var("n"), te.var("m")
        A = self.A = te.placeholder((self.n, self.m), dtype, name="A")
        self.k, self.l = te.reduce_axis((0, self.n), "k"), te.reduce_axis((0, self.m), "l")
        axis = [self.k, self.l]
        self.B = te.compute((), lambda: reducer(A[self.k, self.l], axis=axis, **options), name="B")
        self.s = te.create_schedule(self.B)


def test_the_stages_and_their_axes_are_those_of_tvm():
    A, k = te.placeholder((6, 19), name="A"), te.reduce_axis((0, 19), "k")
    B = te.compute((6,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B)
    ko, ki = s[B].split(k, 4)
    BF = s.rfactor(B, ki, factor_axis=-1)
    assert (BF.name, BF.shape, BF.dtype) == ("B.rf", (6, 4), "float32")
    i, inner = BF.op.axis
    (outer,) = BF.op.reduce_axis
    assert [str(axis) for axis in (i, inner, outer)] == ["i.rf", "k.inner", "k.outer"]
    assert [int(axis.dom.extent) for axis in (inner, outer)] == [4, 5]
    assert str(BF.op.body[0]) == (
        "sum(if_then_else(((((k.outer * -4) + (k.inner * -1)) + 18) >= 0), "
        "A[i.rf, ((k.outer * 4) + k.inner)], 0.0), axis=[k.outer])"
    )
    assert str(s[B].op.body[0]) == "sum(B.rf[i, k.inner.v], axis=[k.inner.v])"
    assert s[B].op.axis == B.op.axis
    assert s[B].leaf_iter_vars == [*B.op.axis, *s[B].op.reduce_axis]
    assert s[BF].leaf_iter_vars == [i, inner, outer]
    assert [stage.name for stage in s.stages] == ["A", "B.rf", "B"]
    with pytest.raises(teloom.ScheduleError, match=r"axis k\.outer is not an axis of stage B"):
        s[B].unroll(ko)
    s[BF].compute_at(s[B], s[B].op.axis[0])
    s[BF].reorder(i, outer, inner)
    s[BF].vectorize(inner)
    b = np.empty(6, "f4")
    a = np.arange(6 * 19, dtype="f4").reshape(6, 19)
    teloom.build(s, [A, B])(a, b)
    np.testing.assert_array_equal(b, a.sum(1))


def test_axes_that_are_not_joined_go_along():
    p = Rows()
    lo, li = p.s[p.B].split(p.l, 2)
    ko, _ = p.s[p.B].split(p.k, nparts=3)
    BF = p.s.rfactor(p.B, ko)
    assert BF.op.reduce_axis[0] is p.l
    assert p.s[BF].leaf_iter_vars == [*BF.op.axis, BF.op.reduce_axis[1], lo, li]
    p.s[BF].unroll(li)
    p.s[BF].parallel(BF.op.axis[0])
    assert_agrees(p, lambda a: a.sum())


def at_the_fold(p: Rows):
    outer, _ = p.s[p.B].split(p.s[p.B].fuse(p.k), 3)
    BF = p.s.rfactor(p.B, outer)
    p.s[BF].compute_at(p.s[p.B], p.s[p.B].op.reduce_axis[0])


def skewed_and_shifted(p: Rows):
    w = p.s[p.B].skew(p.l, p.k, 1)
    p.s.rfactor(p.B, p.s[p.B].shift(w, 2))


def twice(p: Rows):
    BF = p.s.rfactor(p.B, p.k)
    _, inner = p.s[BF].split(p.l, 4)
    BFF = p.s.rfactor(BF, inner, 1)
    p.s[BFF].vectorize(BFF.op.axis[1])


product = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="product")

CASES = {
    "sum from an init": (lambda: Rows(te.sum, init=7), lambda a: 7 + a.sum()),
    "product": (lambda: Rows(product, "int32"), lambda a: a.prod(dtype="i4")),
    "min": (lambda: Rows(te.min, "int32"), lambda a: a.min(initial=2**31 - 1)),
    "all": (lambda: Rows(te.all, "bool"), np.all),
    "any": (lambda: Rows(te.any, "bool"), np.any),
}
SCHEDULES = [at_the_fold, skewed_and_shifted, twice]


def assert_agrees(p: Rows, expected):
    run = teloom.build(p.s, [p.A, p.B])
    rng = np.random.default_rng(0)
    for shape in SIZES:
        a = rng.integers(-2, 9, shape).astype(p.A.dtype)
        b = np.empty((), p.B.dtype)
        run(a, b)
        assert b == expected(a), shape


@pytest.mark.parametrize(
    ("case", "schedule"),
    [(case, SCHEDULES[number % 3]) for number, case in enumerate(CASES)],
)
def test_reductions_of_all_sizes(case, schedule):
    make, expected = CASES[case]
    p = make()
    schedule(p)
    assert_agrees(p, expected)


def test_argmax_of_fused_and_split_axes():
    def better(x, y):
        first = (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] <= y[0]))
        return te.select(first, x[0], y[0]), te.select(first, x[1], y[1])

    n = te.var("n")
    A = te.placeholder((n, 5), "int32", name="A")
    k, j = te.reduce_axis((0, n), "k"), te.reduce_axis((0, 5), "j")
    argmax = te.comm_reducer(better, lambda i, v: (te.max_value(i), te.min_value(v)), "argmax")
    index, value = te.compute((), lambda: argmax((k * 5 + j, A[k, j]), axis=[k, j]), name="M")
    s = te.create_schedule(index)
    _, inner = s[index].split(s[index].fuse(k, j), 8)
    IF, VF = s.rfactor(index, inner)
    s[IF].parallel(IF.op.axis[0])
    assert VF.op is IF.op
    run = teloom.build(s, [A, index, value])
    rng = np.random.default_rng(0)
    for size in (1, 3, 8):
        a = rng.integers(-3, 3, (size, 5)).astype("i4")
        found = np.empty((), "i4"), np.empty((), "i4")
        run(a, *found)
        assert found == (a.argmax(), a.max())


REFUSED = [
    (lambda p: p.s.rfactor(p.B, "k"), "rfactor of stage B wants an axis, got 'k'"),
    (lambda p: p.s.rfactor(p.B, p.k, 1), 'the data axes of "B" leave it the positions 0..0'),
    (lambda p: p.s.rfactor(p.B, p.k, -2), "a position is not negative"),
    (lambda p: p.s.rfactor(p.B, p.s[p.B].fuse(p.k, p.l)), "is a product of sizes"),
]


@pytest.mark.parametrize(("command", "words"), REFUSED)
def test_what_is_refused_leaves_the_schedule(command, words):
    p = Rows()
    with pytest.raises(teloom.ScheduleError, match=words):
        command(p)
    assert "rfactor" not in str(p.s)


def test_a_triangle():
    n = te.var("n")
    A = te.placeholder((n, n), "int32", name="A")

    def rows(i):
        k = te.reduce_axis((0, i + 1), "k")
        return te.sum(A[i, k], axis=k)

    B = te.compute((n,), rows, name="B")
    s = te.create_schedule(B)
    _, inner = s[B].split(B.op.reduce_axis[0], 4)
    BF = s.rfactor(B, inner)
    s[BF].reorder(BF.op.axis[1], BF.op.axis[0])
    s[B].decompose_reduction(B.op.axis[0])
    s[BF].decompose_reduction(BF.op.axis[1])
    s[BF].tile(BF.op.axis[1], BF.op.axis[0], 2, 4)
    run = teloom.build(s, [A, B])
    for size in (0, 1, 7):
        a, b = np.ones((size, size), "i4"), np.empty(size, "i4")
        run(a, b)
        np.testing.assert_array_equal(b, np.arange(size) + 1)


def test_accumulators():
    n = te.var("n")
    A, W = te.placeholder((6, n), name="A"), te.placeholder((n, 5), name="W")
    k = te.reduce_axis((0, n), "k")
    C = te.compute((6, 5), lambda i, j: te.sum(A[i, k] * W[k, j], axis=k), name="C")
    s = te.create_schedule(C)
    i, j = C.op.axis
    io, ii = s[C].split(i, 4)
    s[C].reorder(io, ii, k, j)
    CF = s[C].partial_results(k, 3)
    assert [str(axis) for axis in s[CF].leaf_iter_vars] == ["i.rf", "k.outer", "k.inner", "j.rf"]
    s[CF].vectorize(CF.op.axis[2])
    costs = te.explain(s)
    assert (costs[0].at, costs[0].stored) == ("C.i.inner", 3 * 5 * 4)
    run = teloom.build(s, [A, W, C])
    rng = np.random.default_rng(0)
    for size in (0, 1, 7):
        a, w = (rng.integers(-9, 9, shape).astype("f4") for shape in ((6, size), (size, 5)))
        c = np.empty((6, 5), "f4")
        run(a, w, c)
        np.testing.assert_array_equal(c, a @ w)


def test_accumulators_of_a_whole_reduction():
    p = Rows(te.max, "int32")
    p.s[p.B].partial_results(p.k, 4)
    assert_agrees(p, lambda a: a.max(initial=-(2**31)))


def test_a_fold_that_starts_with_its_epilogue_keeps_bounds_from_data():
    A, first = te.placeholder((7,), name="A"), te.placeholder((7,), "int32", name="first")

    def tail_sum(i):
        k = te.reduce_axis((first[i], 7), "k")
        return te.sum(A[k], axis=k)

    B = te.compute((7,), tail_sum, name="B")
    C = te.compute((7,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C)
    s[B].fuse_reduction_epilogue(s[C])
    a, begins = np.arange(7, dtype="float32"), np.array([7, 5, 3, 0, 2, 6, 1], "int32")
    teloom.build(s, [A, first, C])(a, begins, c := np.empty(7, "float32"))
    np.testing.assert_array_equal(c, [a[i] + a[k:].sum() for i, k in enumerate(begins)])


def test_a_bias_that_starts_a_fold():
    n = te.var("n")
    A, bias = te.placeholder((5, n), name="A"), te.placeholder((5,), name="bias")
    k = te.reduce_axis((0, n), "k")
    C = te.compute((5,), lambda i: te.sum(A[i, k], axis=k), name="C")
    D = te.compute((5,), lambda i: bias[i] + C[i], name="D")
    E = te.compute((5,), lambda i: te.max(D[i], 0.0), name="E")
    s = te.create_schedule(E)
    outer, inner = s[C].split(k, 4)
    s[C].fuse_reduction_epilogue(s[D])
    s[C].reorder(outer, *C.op.axis, inner)
    s[C].unroll(inner)
    run = teloom.build(s, [A, bias, E])
    for size in (0, 1, 6):
        a, b = np.full((5, size), -1, "f4"), np.arange(5, dtype="f4")
        e = np.empty(5, "f4")
        run(a, b, e)
        np.testing.assert_array_equal(e, np.maximum(b - size, 0))


@pytest.mark.parametrize(("dtype", "legal"), [("float32", False), ("int32", True)])
def test_strict_keeps_the_order_of_floats(dtype, legal):
    p = Rows(te.sum, dtype)
    p.s.rfactor(p.B, p.k)
    if legal:
        teloom.lower(p.s, [p.A, p.B], level="loop", strict=True)
        return
    with pytest.raises(teloom.ScheduleError, match="folds in another order than the program says"):
        teloom.lower(p.s, [p.A, p.B], level="loop", strict=True)


@pytest.mark.parametrize(
    "command",
    [
        lambda s, T, k: s.rfactor(T, k),
        lambda s, T, k: s[T].partial_results(k, 4),
        lambda s, T, k: s[T].blockize(k),
    ],
)
@pytest.mark.parametrize("of_reader", [False, True])
def test_one_reduce_axis_in_two_stages(command, of_reader: bool):
    A, k = te.placeholder((8, 16), name="A"), te.reduce_axis((0, 16), "k")
    B = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="B")
    C = te.compute((8,), lambda i: te.sum(A[i, k] * B[i], axis=k), name="C")
    s = te.create_schedule(C)
    for T in (B, C):
        s[T].unroll(T.op.axis[0])
    command(s, C if of_reader else B, k)
    a = np.arange(128, dtype="float32").reshape(8, 16) % 7
    teloom.build(s, [A, C])(a, c := np.empty(8, "float32"))
    np.testing.assert_array_equal(c, a.sum(1) ** 2)
