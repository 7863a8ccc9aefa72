"""Folds over axes, and running ones."""

import numpy as np
import pytest

import teloom
from teloom import te, topi

RNG = np.random.default_rng(0)
AXES = [None, 0, -1, (0, 2), (1,), ()]

FOLDS = {name: getattr(np, name) for name in "sum prod max min".split()}
TRUTHS = {name: getattr(np, name) for name in "all any".split()}


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8"])
def test_folds(dtype, interpreted):
    a = RNG.integers(0 if dtype[0] == "u" else -3, 4, (3, 2, 4)).astype(dtype)
    A = te.placeholder(a.shape, dtype, "A")
    wanted = []
    for axis in AXES:
        for keep in (False, True):
            for name, f in FOLDS.items():
                more = {"dtype": dtype} if name in ("sum", "prod") else {}
                wanted.append(
                    (getattr(topi, name)(A, axis, keep), f(a, axis, keepdims=keep, **more))
                )
            for name, f in TRUTHS.items():
                wanted.append((getattr(topi, name)(A, axis, keep), f(a, axis, keepdims=keep)))
    interpreted({A: a}, wanted)


def test_extremes_of_bools(both):
    a = RNG.integers(0, 2, (4, 3)).astype("bool")
    A, E, e = te.placeholder(a.shape, "bool", "A"), te.placeholder((0, 3), "bool", "E"), a[:0]
    wanted = [
        (getattr(topi, name)(A, axis, keep), getattr(np, name)(a, axis, keepdims=keep))
        for name in ("max", "min")
        for axis in (None, 0, 1, ())
        for keep in (False, True)
    ]
    both({A: a, E: e}, [*wanted, (topi.max(E, 0), e.any(0)), (topi.min(E, 0), e.all(0))])


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_positions(dtype, both, interpreted):
    a = RNG.integers(-3, 4, (3, 2, 4)).astype(dtype)
    A = te.placeholder(a.shape, dtype, "A")
    wanted = []
    for axis in (None, 0, 2):
        wanted += [(topi.argmax(A, axis), a.argmax(axis)), (topi.argmin(A, axis), a.argmin(axis))]
        back = a.ravel()[::-1] if axis is None else np.flip(a, axis)
        last = (a.size if axis is None else a.shape[axis]) - 1
        wanted.append((topi.argmax(A, axis, False, True), last - back.argmax(axis)))
    wanted.append((topi.argmin(A, 1, True), a.argmin(1, keepdims=True)))
    rows = a.transpose(1, 0, 2).reshape(2, -1)
    wanted.append((topi.argmax(A, (0, 2)), rows.argmax(1)))
    (both if dtype == "float32" else interpreted)({A: a}, wanted)


def test_nan_and_infinities(both):
    inf, nan = np.inf, np.nan
    a = np.array([[-inf, -inf, -inf], [1, nan, nan], [inf, 0, -inf], [nan, 2, 3]], "float32")
    A = te.placeholder(a.shape, name="A")
    wanted = [(getattr(topi, name)(A, 1), getattr(np, name)(a, 1)) for name in ("max", "min")]
    wanted += [(topi.argmax(A, 1), a.argmax(1)), (topi.argmin(A, 1), a.argmin(1))]
    both({A: a}, wanted)


def test_no_axes_and_no_elements(both):
    X, E = te.placeholder((), name="X"), te.placeholder((0, 3), name="E")
    x, e = np.float32(3), np.zeros((0, 3), "float32")
    wanted = [(topi.sum(X), x), (topi.argmax(X), 0), (topi.any(X), True), (topi.cumsum(E, 0), e)]
    wanted += [(topi.sum(E, 0), e.sum(0)), (topi.prod(E), e.prod()), (topi.max(E, 1), e.max(1))]
    both({X: np.array(x), E: e}, wanted)


def test_collapse_sum(interpreted):
    a = RNG.normal(size=(2, 3, 4)).astype("float32")
    A = te.placeholder(a.shape, name="A")
    targets = [(3, 4), (1, 4), (2, 1, 4), (4,), (), (2, 3, 4), (1, 1, 1)]
    sums = [a.sum(0), a.sum((0, 1))[None], a.sum(1, keepdims=True), a.sum((0, 1)), a.sum(), a]
    sums.append(a.sum(keepdims=True))
    interpreted({A: a}, [(topi.collapse_sum(A, t), s) for t, s in zip(targets, sums, strict=True)])


def test_sizes(symbolic):
    def make(n, m):
        A = te.placeholder((n, m), name="A")
        return [A], [
            (topi.sum(A, 0), lambda a: a.sum(0)),
            (
                topi.max(A + 1, 1, keepdims=True),
                lambda a: np.max(a + 1, 1, keepdims=True, initial=-np.inf),
            ),
            (topi.collapse_sum(A, (m,)), lambda a: a.sum(0)),
            (topi.cumsum(A, 0), lambda a: a.cumsum(0)),
            (topi.cumprod(A, 1, exclusive=True), exclusive_product),
        ]

    symbolic(make, "n m", [(3, 5), (1, 1), (0, 4), (2, 0)])


def exclusive_product(a):
    ones = np.ones((len(a), 1), a.dtype)
    return np.concatenate([ones, a], 1).cumprod(1)[:, : a.shape[1]]


def test_running_folds(both):
    a = RNG.integers(-4, 5, (3, 4, 2)).astype("int32")
    A, B = te.placeholder(a.shape, "int32", "A"), te.placeholder((1, 3), name="B")
    b = RNG.normal(size=(1, 3)).astype("float32")
    least = np.iinfo("int32").min
    wanted = [
        (topi.cumsum(A, 1), a.cumsum(1)),
        (topi.cumsum(A), a.cumsum()),
        (topi.cumprod(A, -1, "int64"), a.cumprod(-1)),
        (topi.cumsum(B, 0), b),
        (topi.cumsum(B, 1, "float64", True), exclusive_sum(b)),
        (topi.scanop(A, te.maximum, least, "cummax", 0), np.maximum.accumulate(a, 0)),
    ]
    both({A: a, B: b}, wanted)


def test_positions_where_a_call_has_no_elements():
    n = te.var("n")
    A = te.placeholder((2, n), name="A")
    first, last = topi.argmax(A, 1), topi.argmax(A, 1, select_last_index=True)
    f = teloom.build([A, first, last])
    found = [np.empty(2, "int32") for _ in range(2)]
    for extent, expected in ((0, (2**31 - 1, -(2**31))), (3, (0, 2))):
        f(np.zeros((2, extent), "float32"), *found)
        assert tuple(map(set, found)) == tuple({one} for one in expected)


@pytest.mark.parametrize("size", [7, 64, 70])
def test_the_first_of_several_nan_is_the_extreme(size):
    A = te.placeholder((size, size), name="A")
    a = np.zeros((size, size), "float32")
    a[:, size // 2] = a[np.arange(size), np.arange(size)] = np.nan
    for axis in (0, 1):
        both = (topi.argmax, np.argmax), (topi.argmin, np.argmin)
        for extreme, expected in both if size == 70 else [both[axis ^ (size == 7)]]:
            found = extreme(A, axis)
            teloom.build([A, found])(a, at := np.empty(size, "int32"))
            np.testing.assert_array_equal(at, expected(a, axis))


def exclusive_sum(b):
    return np.concatenate([np.zeros((1, 1)), b.astype("float64").cumsum(1)[:, :-1]], 1)


def test_tags():
    A = te.placeholder((2, 3), name="A")
    assert topi.sum(A, 0).op.tag == topi.tag.COMM_REDUCE
    assert topi.argmax(A, 0).op.tag == topi.tag.COMM_REDUCE_IDX


A = te.placeholder((8, 4), name="A")
TRUE = te.placeholder((4,), "bool", name="T")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: topi.sum(A, 2), "topi.sum: axis is 2, outside of -2..1"),
        (lambda: topi.max(A, (0, -2)), "topi.max: axis is [0, -2], which has an axis twice"),
        (lambda: topi.min(A, "x"), "topi.min: axis is 'x', not an integer that is known"),
        (lambda: topi.sum(TRUE), "topi.sum: data is T of shape (4,) and dtype bool"),
        (lambda: topi.argmax(TRUE), "topi.argmax: data is T of shape (4,) and dtype bool; cast it"),
        (
            lambda: topi.argmin(te.placeholder((4, 0), name="E"), 1),
            "topi.argmin: data is E of shape (4, 0) and dtype float32, of which axis 1 has no",
        ),
        (lambda: topi.argmax(A, 5), "topi.argmax: axis is 5, outside of -2..1"),
        (lambda: topi.collapse_sum(A, (3, 4)), "target_shape is (3, 4), which cannot be repeated"),
        (lambda: topi.cumsum(A, 2), "topi.cumsum: axis is 2, outside of -2..1"),
        (lambda: topi.cumsum(TRUE), f"topi.cumsum: data is {TRUE.name} of shape"),
        (lambda: topi.cumsum(TRUE, 0), "add is not defined on bool"),
        (lambda: topi.cumprod(A, 0, "float33"), "topi.cumprod: dtype is 'float33': unknown dtype"),
        (
            lambda: topi.cumsum(te.placeholder((te.var("n"), te.var("m")), name="T")),
            "topi.cumsum: axis is None: topi.reshape: newshape is [-1], so that axis 0 has",
        ),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
