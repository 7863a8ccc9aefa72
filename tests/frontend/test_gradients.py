"""Gradients, next to differences of the outputs of the same programs."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from budget import chosen, runs_all
from differences import Differences, checked

import teloom
from teloom import te
from teloom.frontend.expr.expressions import Expr

N = 5


def square(name: str) -> te.Tensor:
    return te.placeholder((N, N), "float64", name=name)


A, B = square("A"), square("B")
BODIES: dict[str, tuple[Callable[..., object], float]] = {
    "a copy": (lambda i, j: A[i, j], -2),
    "a sum with a transpose": (lambda i, j: A[i, j] + A[j, i] - B[i, j], -2),
    "products": (lambda i, j: A[i, j] * (B[j, i] + A[j, i]), -2),
    "quotients": (lambda i, j: A[i, j] / B[j, i] / (1 + A[i, i]), 0.5),
    "functions": (lambda i, j: te.sin(A[i, j]) * te.cos(B[i, j]) + te.tanh(A[i, j]), -2),
    "logarithms": (lambda i, j: te.log(A[i, j]) + te.log2(B[i, j]) * te.log1p(A[j, i]), 0.5),
    "roots": (lambda i, j: te.sqrt(A[i, j]) * te.rsqrt(B[i, j]) + te.log10(A[i, j]), 0.5),
    "exponentials": (lambda i, j: te.exp(A[i, j]) * te.sigmoid(B[i, j]) + te.erf(A[j, i]), -2),
    "powers": (lambda i, j: te.power(A[i, j], B[i, j]) + A[i, j] ** 3, 0.5),
    "angles": (lambda i, j: te.atan(A[i, j]) + te.atan2(A[i, j], B[i, j]), 0.5),
    "inverses": (lambda i, j: te.asinh(A[i, j]) + te.acosh(1 + B[i, j]) + te.tan(A[i, j] / 4), 0.5),
    "hyperbolic": (lambda i, j: te.sinh(A[i, j]) * te.cosh(B[i, j]) - te.abs(A[i, j]), -2),
    "arcs": (lambda i, j: te.asin(A[i, j] / 3) + te.acos(B[i, j] / 3) + te.atanh(A[i, j] / 3), -2),
    "choices": (lambda i, j: te.max(A[i, j], B[i, j]) + te.minimum(A[i, j], B[j, i]), -2),
    "rounding": (lambda i, j: te.floor(A[i, j]) * B[i, j] + te.round(A[i, j]), -2),
    "a border": (lambda i, j: te.if_then_else(i > 0, A[i - 1, j] * B[i - 1, j], B[i, j] * 3), -2),
    "borders in borders": (
        lambda i, j: te.if_then_else(
            i > 0, te.if_then_else(j < N - 1, A[i - 1, j + 1] * A[i, j], A[i, j]), 0.0
        ),
        -2,
    ),
    "clamped": (lambda i, j: A[te.min(i + 1, N - 1), j] * A[i, te.max(j - 2, 0)], -2),
    "a diagonal": (lambda i, j: A[i, i] * B[j, j], -2),
}


FAMILIES = ("products", "a border", "clamped", "a diagonal")
"""Of the others, an element is read as in one of these, and only its code is another."""


@pytest.mark.parametrize("low", [-2, 0.5])
def test_of_equations(low: float):
    made = [
        te.compute((N, N), body, name=name)
        for name, (body, least) in BODIES.items()
        if least == low and name not in FAMILIES
    ]
    checked(made, [A, B], low, auto=False)


@pytest.mark.parametrize("name", FAMILIES)
def test_of_equations_with_schedules_by_rules(name: str):
    checked(te.compute((N, N), BODIES[name][0], name=name), [A, B])


def test_a_sum_from_an_init():
    k = te.reduce_axis((0, N), "k")
    total = te.compute(
        (N,),
        lambda i: te.sum(A[i, k] * B[k, i], axis=k, where=k != 2, init=te.sin(B[i, 0]) * A[0, i]),
        name="total",
    )
    checked(total, [A, B])


def axis(extent: int, name: str) -> te.IterVar:
    return te.reduce_axis((0, extent), name)


def test_through_a_cast():
    C = te.compute((N, N), lambda i, j: (A[i, j].astype("float32") * i).astype("float64"))
    (dA,) = te.gradient(C, [A], head=B)
    assert dA.dtype == "float64"
    assert str(dA.op.body[0]) == "float64((float32(B[i0, i1]) * float32(i0)))"


def test_of_a_matrix_product():
    k = axis(N, "k")
    C = te.compute((N, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    checked(C, [A, B])
    dA, dB = te.gradient(C, [A, B], head=te.placeholder((N, N), "float64", name="H"))
    assert str(dA.op.body[0]) == "sum((H[i0, j] * B[i1, j]), axis=[j])"
    assert str(dB.op.body[0]) == "sum((H[i, i1] * A[i, i0]), axis=[i])"


@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2), (3, 2)])
def test_of_a_convolution(stride: int, dilation: int):
    X = te.placeholder((2, 7, 7), "float64", name="X")
    W = te.placeholder((3, 2, 3, 3), "float64", name="W")
    padded = te.compute(
        (2, 9, 9),
        lambda c, y, x: te.if_then_else(
            te.all(y > 0, y < 8, x > 0, x < 8), X[c, y - 1, x - 1], 0.0
        ),
        name="padded",
    )
    c, r, s = axis(2, "c"), axis(3, "r"), axis(3, "s")
    extent = (8 - 2 * dilation) // stride + 1
    Y = te.compute(
        (3, extent, extent),
        lambda f, y, x: te.sum(
            padded[c, y * stride + r * dilation, x * stride + s * dilation] * W[f, c, r, s],
            axis=[c, r, s],
        ),
        name="Y",
    )
    checked(Y, [X, W], auto=stride == dilation)


def test_of_reductions():
    k = axis(N, "k")
    reducers = [te.max, te.minimum, te.prod, te.sum]
    results = [
        te.compute((N,), lambda i, f=one: f(A[i, k] * B[k, i] + 0.5, axis=k), name=one.__name__)
        for one in reducers
    ]
    checked(results, [A, B], auto=False)


def test_of_a_reducer_of_ones_own():
    both = te.comm_reducer(lambda x, y: x + y + x * y, lambda t: te.const(0, t), name="both")
    k, m = axis(3, "k"), axis(2, "m")
    C = te.compute((N,), lambda i: both(A[i, k + m], axis=[k, m]), name="C")
    checked(C, [A])


@pytest.mark.parametrize(
    ("reducer", "init"),
    chosen(
        list(product([te.prod, te.max, te.minimum], ["an element", "a number", "computed"])),
        [
            (te.prod, "an element"),
            (te.prod, "a number"),
            (te.prod, "computed"),
            (te.max, "a number"),
            (te.max, "computed"),
            (te.minimum, "an element"),
        ],
    ),
)
def test_of_reductions_with_an_init(reducer, init: str):
    starts = {"an element": lambda i: B[i, i], "a number": lambda i: te.const(1.0, "float64")}
    starts["computed"] = lambda i: te.sin(B[i, 0]) * B[0, i]
    k = axis(N, "k")
    result = te.compute(
        (N,), lambda i: reducer(A[i, k] * B[k, i] / 4, axis=k, init=starts[init](i)), name="result"
    )
    checked(result, [A, B], auto=init == "computed" and reducer is te.prod)


def test_an_init_has_a_part_of_the_derivative_of_a_maximum():
    X, k = te.placeholder((4,), name="X"), axis(4, "k")
    Y = te.placeholder((), name="Y")
    most = te.compute((), lambda: te.max(X[k], axis=k, init=Y()), name="most")
    dX, dY = te.gradient(most, [X, Y])
    by_x, by_y = np.empty(4, "float32"), np.empty((), "float32")
    run = teloom.build([X, Y, dX, dY])
    for start, wanted in [(3, (1 / 3, 1 / 3)), (1, (0.5, 0)), (5, (0, 1))]:
        run(np.array([1, 3, 3, 2], "float32"), np.array(start, "float32"), by_x, by_y)
        np.testing.assert_allclose([by_x[1], by_y], wanted)


def first_of_the_greatest(x, y):
    wins = (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] < y[0]))
    return te.select(wins, x[0], y[0]), te.select(wins, x[1], y[1])


ARGMAX = te.comm_reducer(
    first_of_the_greatest, lambda p, v: (te.max_value(p), te.min_value(v)), name="argmax"
)


def test_the_value_of_an_argmax():
    k, m = axis(N, "k"), axis(N, "m")
    _, row = te.compute((N,), lambda i: ARGMAX((k, te.sin(A[i, k]) * B[k, i]), axis=k), name="row")
    checked(row, [A, B], auto=False)
    _, most = te.compute(
        (), lambda: ARGMAX((k * N + m, A[m, k] * B[k, m]), axis=[k, m], where=k != m), name="most"
    )
    checked(most, [A, B])


def test_values_that_are_folded_each_by_itself():
    both = te.comm_reducer(
        lambda x, y: (x[0] + y[0], x[1] * y[1]), lambda a, b: (te.const(0, a), te.const(1, b))
    )
    k = axis(N, "k")
    results = te.compute(
        (N,),
        lambda i: both((A[i, k] * B[k, i], A[i, k] + B[0, k]), axis=k, init=(A[i, 0], B[i, i])),
        name="both",
    )
    checked([*results], [A, B])


def test_equal_elements_share_the_derivative_of_a_maximum():
    X, k = te.placeholder((4,), name="X"), axis(4, "k")
    (dX,) = te.gradient(te.compute((), lambda: te.max(X[k], axis=k), name="M"), [X])
    found = np.empty(4, "float32")
    teloom.build([X, dX])(np.array([1, 3, 3, 2], "float32"), found)
    np.testing.assert_array_equal(found, [0, 0.5, 0.5, 0])


def test_what_is_rounded_finds_its_extreme():
    """The maximum is taken of the very values to which it is compared, in whatever code."""
    n = 64
    P = te.placeholder((n, n), name="P")
    Q = te.placeholder((n,), name="Q")
    k = axis(n, "k")
    M = te.compute((n,), lambda i: te.max(P[i, k] * Q[k] + Q[i], axis=k), name="M")
    H = te.placeholder((n,), name="H")
    (dP,) = te.gradient(M, [P], head=H)
    s = te.create_schedule([M, dP])
    s[M].vectorize(M.op.axis[0])
    rng = np.random.default_rng(0)
    p, q, h = rng.random((n, n), "float32"), rng.random(n, "float32"), np.ones(n, "float32")
    m, found = np.empty(n, "float32"), np.empty((n, n), "float32")
    teloom.build(s, [P, Q, H, M, dP])(p, q, h, m, found)
    np.testing.assert_allclose(found.sum(1), q[found.argmax(1)], rtol=1e-6)
    assert (found.max(1) > 0).all()


def test_of_softmax():
    k, m = axis(N, "k"), axis(N, "m")
    largest = te.compute((N,), lambda i: te.max(A[i, k], axis=k), name="largest")
    grown = te.compute((N, N), lambda i, j: te.exp(A[i, j] - largest[i]), name="grown")
    total = te.compute((N,), lambda i: te.sum(grown[i, m], axis=m), name="total")
    checked(te.compute((N, N), lambda i, j: grown[i, j] / total[i], name="softmax"), [A])


def test_of_reshapes():
    flat = te.compute((N * N,), lambda i: A[i // N, i % N] * 2, name="flat")
    back = te.compute((N, N), lambda i, j: flat[i * N + j] * B[i, j], name="back")
    checked(back, [A, B])
    (dA,) = te.gradient(flat, [A], head=te.placeholder((N * N,), "float64", name="H"))
    assert str(dA.op.body[0]) == "(H[((i0 * 5) + i1)] * 2.0)"
    F = te.placeholder((N * N,), "float64", name="F")
    (dF,) = te.gradient(te.compute((N, N), lambda i, j: F[i * N + j], name="G"), [F], head=A)
    assert str(dF.op.body[0]) == "A[(i0 // 5), (i0 % 5)]"


def test_of_pooling_without_overlap():
    X, r, s = te.placeholder((2, 6), "float64", name="X"), axis(2, "r"), axis(2, "s")
    P = te.compute((1, 3), lambda y, x: te.max(X[y * 2 + r, x * 2 + s], axis=[r, s]), name="P")
    checked(P, [X])


def test_positions_from_data():
    positions = te.placeholder((7,), "int32", name="I")
    C = te.compute((7, N), lambda i, j: A[positions[i], j] * A[0, j], name="C")
    checked(C, [A], data={positions: np.array([0, 3, 3, 1, 4, 0, 2], "int32")})


def test_of_several_tensors_of_one_equation():
    C, D = te.compute((N, N), lambda i, j: (A[i, j] * B[i, j], te.exp(A[j, i])), name="T")
    checked(te.compute((N, N), lambda i, j: C[i, j] * D[i, j] + A[i, j], name="E"), [A, B])


def test_of_what_is_computed():
    C = te.compute((N, N), lambda i, j: A[i, j] * 2, name="C")
    D = te.compute((N, N), lambda i, j: C[i, j] * C[j, i], name="D")
    dC, dA = te.gradient(D, [C, A], head=B)
    a, b = (np.random.default_rng(k).random((N, N)) for k in range(2))
    by_c, by_a = np.empty((N, N)), np.empty((N, N))
    teloom.build([A, B, dC, dA])(a, b, by_c, by_a)
    np.testing.assert_allclose(by_a, 2 * by_c)
    np.testing.assert_allclose(by_c, (b + b.T) * 2 * a.T)


def test_without_a_head_it_is_the_jacobian():
    X, k = te.placeholder((3,), "float64", name="X"), axis(3, "k")
    W = te.placeholder((2, 3), "float64", name="W")
    Y = te.compute((2,), lambda i: te.sum(W[i, k] * X[k], axis=k), name="Y")
    (J,) = te.gradient(Y, X)
    assert J.shape == (2, 3)
    w, j = np.arange(6.0).reshape(2, 3), np.empty((2, 3))
    teloom.build([W, J])(w, j)
    np.testing.assert_array_equal(j, w)


def test_a_head_of_a_batch():
    H = te.placeholder((4, N, N), "float64", name="H")
    C = te.compute((N, N), lambda i, j: A[j, i] * B[i, j], name="C")
    (dA,) = te.gradient(C, [A], head=H)
    h, b, found = np.random.rand(4, N, N), np.random.rand(N, N), np.empty((4, N, N))
    teloom.build([H, B, dA])(h, b, found)
    np.testing.assert_allclose(found, (h * b).transpose(0, 2, 1))


@pytest.mark.parametrize("length", [0, 1, 7])
def test_of_any_size_scheduled(length: int):
    n = te.var("n")
    X = te.placeholder((n,), name="X")
    H = te.placeholder((n,), name="H")
    C = te.compute((n,), lambda i: X[i] + te.if_then_else(i > 0, X[i - 1], 0.0), name="C")
    (dX,) = te.gradient(C, [X], head=H)
    s = te.create_schedule(dX)
    _, inner = s[dX].split(dX.op.axis[0], factor=4)
    s[dX].vectorize(inner)
    h, found = np.arange(length, dtype="float32"), np.empty(length, "float32")
    teloom.build(s, [H, dX])(h, found)
    np.testing.assert_array_equal(found, h + np.append(h[1:], 0)[:length])


def test_sums_with_bounds_over_other_axes():
    def between(i, j):
        k = te.reduce_axis((i // 2, i + 1), "k")
        q = te.reduce_axis((0, N - k), "q")
        return te.sum(A[i, k] * B[k, q] + B[j, k + q], axis=[k, q])

    checked(te.compute((N - 1, N), between, name="C"), [A, B])


def test_sums_with_bounds_of_any_size():
    n = te.var("n")
    X = te.placeholder((n,), "float64", name="X")

    def between(i):
        k = te.reduce_axis((i // 2, n - i), "k")
        return te.sum(te.sin(X[k]) * X[i], axis=k)

    run = Differences([te.compute((n,), between, name="C")], [X], [], auto=False)
    for length in (1, 2, 7, 0):
        run.check([np.random.default_rng(0).random(length)], shape=(length,))


def test_sums_with_bounds_from_data():
    """A product of a sparse matrix and a vector."""
    rows, columns, count = te.var("rows"), te.var("columns"), te.var("count")
    starts = te.placeholder((rows + 1,), "int32", name="starts")
    at = te.placeholder((count,), "int32", name="at")
    values = te.placeholder((count,), "float64", name="values")
    x = te.placeholder((columns,), "float64", name="x")

    def row_times_x(i):
        k = te.reduce_axis((starts[i], starts[i + 1]), "k")
        return te.sum(values[k] * x[at[k]], axis=k)

    y = te.compute((rows,), row_times_x, name="y")
    run = Differences([y], [values, x], [starts, at])
    rng = np.random.default_rng(0)
    for bounds in ([0, 2, 2, 5, 6], [0, 0], [0]):
        count = bounds[-1]
        places = rng.integers(0, 3, count).astype("int32")
        arrays = [rng.random(count), rng.random(3)]
        run.check(arrays, [np.array(bounds, "int32"), places], shape=(len(bounds) - 1,))


def test_what_is_not_read_has_no_gradient():
    (dB,) = te.gradient(te.compute((N, N), lambda i, j: A[i, j], name="C"), [B], head=A)
    assert dB.shape == (N, N)
    assert str(dB.op.body[0]) == "0.0"


k = axis(4, "k")
X = te.placeholder((4,), name="X")
LOWEST = te.compute(
    (4,), lambda i: te.min(X[r := te.reduce_axis((0, i + 1), "r")], axis=r), name="lowest"
)
LENGTH = te.var("n")
LONG = te.placeholder((LENGTH,), name="L")
LOWER = te.compute(
    (LENGTH,), lambda i: te.sum(LONG[r := te.reduce_axis((0, i * i), "r")], axis=r), name="lower"
)
DOMAIN = te.compute((5, 5), lambda i, j: A[i, j] * 2, name="part", domain=lambda i, j: j <= i)
CHOICE = te.comm_reducer(
    lambda x, y: (te.select(x[1] > y[1], x[0], y[0]), te.select(x[1] > y[1], x[1], y[1])),
    lambda a, b: (te.const(0, a), te.min_value(b)),
)
BOTH = te.compute((), lambda: CHOICE((X[k], X[k] * 2), axis=k), name="both")
FROM = te.compute((), lambda: ARGMAX((k, X[k]), axis=k, init=(0, X[1])), name="from")
SCALED = te.comm_reducer(lambda x, y: x * y, lambda t: X[0], name="scaled")
PRODUCT = te.compute((), lambda: SCALED(X[k], axis=k), name="product")
OTHER = te.extern((4,), [X], lambda ins, outs: te.call_packed(print, ins[0], outs[0]), name="other")
BAD: Any = [3]
WHOLE = te.placeholder((4,), "int32", name="I")


class Halved(Expr):
    """A function of a value that no rule knows."""

    dtype = "float32"

    def __init__(self, value: Expr):
        self.value = value

    def operands(self) -> tuple[Expr, ...]:
        return (self.value,)

    def text(self, depth: int) -> str:
        return f"halved({self.value.text(depth - 1)})"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: te.gradient(te.compute((4,), lambda i: Halved(X[i]) * 2, name="Y"), [X]),
            "the gradient of the Halved halved(X[i]), in 'Y', is not known",
        ),
        (lambda: te.gradient(DOMAIN, [A]), "goes through 'part', which has a domain"),
        (lambda: te.gradient(BOTH[0], [X]), "'both', a reduction with several values, is not"),
        (lambda: te.gradient(FROM[1], [X]), "two tuples, which hold their positions on the reduce"),
        (
            lambda: te.gradient(PRODUCT, [X]),
            "'product', a reduction that is no sum and has a combiner over its axes or an identity "
            "that is no constant, is not known",
        ),
        (lambda: te.gradient(LOWER, [LONG]), "'lower', whose reduce axis r has bounds over other"),
        (lambda: te.gradient(LOWEST, [X]), "'lowest', a reduction with bounds over other axes"),
        (lambda: te.gradient(OTHER, [X]), "goes through ExternOp(other), which is no equation"),
        (lambda: te.gradient(WHOLE, [X]), "gradient wants floats, I is int32"),
        (lambda: te.gradient(X, BAD), "gradient wants tensors, got 3"),
        (lambda: te.gradient(X, [X], head=A), "the last extents of the head A, [5, 5], are not"),
        (
            lambda: te.gradient(X, [X], head=te.placeholder((4,), "float64", name="H")),
            "the head H is float64, X is float32",
        ),
        (
            lambda: te.gradient(te.compute((4,), lambda i: te.nextafter(X[i], 1.0), name="Y"), [X]),
            "in 'Y', is not known",
        ),
    ],
)
def test_refuses(make, words: str):
    with pytest.raises(teloom.Error) as error:
        make()
    assert words in str(error.value)


@pytest.mark.parametrize(
    "read",
    [
        lambda i, j: (i + j, j),
        lambda i, j: (i + j, i + 2 * j),
        lambda i, j: (i + j, i - j + 4),
        lambda i, j: (2 * i + 3 * j, 3 * i + 2 * j),
        lambda i, j: (2 * i + j, i + j),
        lambda i, j: (i + j, i + j),
    ],
)
def test_of_elements_that_both_axes_find(read):
    X, H = (
        te.placeholder(shape, "float64", name=name)
        for shape, name in (((23, 23), "X"), ((4, 5), "H"))
    )
    C = te.compute((4, 5), lambda i, j: X(*read(i, j)), name="C")
    (found,) = te.gradient(C, [X], H)
    heads, expected = np.random.default_rng(0).random((4, 5)), np.zeros((23, 23))
    for i, j in np.ndindex(4, 5):
        expected[read(i, j)] += heads[i, j]
    run = teloom.build([H, found], auto=runs_all() or read(0, 1) == (1, 1))
    run(heads, result := np.empty((23, 23)))
    np.testing.assert_allclose(result, expected, atol=1e-12)


def test_sums_between_bounds_from_data_are_taken_back_at_their_points():
    """In time that grows with the points of all sums, and not with their promise for each."""
    rows, columns = te.var("rows"), 7
    ends = te.placeholder((rows + 1,), "int32", name="ends")
    size = te.var("size")
    V, at = te.placeholder((size,), name="V"), te.placeholder((size,), "int32", name="at")
    B = te.placeholder((columns,), name="B")

    def row(i):
        k = te.reduce_axis((te.bounded(ends[i], 0, size + 1), te.bounded(ends[i + 1], 0, size + 1)))
        return te.sum(V[k] * B[te.bounded(at[k], 0, columns)], axis=k)

    Y = te.compute((rows,), row, name="Y")
    H = te.placeholder((rows,), name="H")
    grads = te.gradient(Y, [V, B], head=H)
    loops = str(teloom.lower(grads, [ends, V, at, B, H, *grads], level="loop"))
    assert loops.count("to min(%size, ") == 2
    f = teloom.build(grads, [ends, V, at, B, H, *grads])
    rng = np.random.default_rng(5)
    for lengths in ([3, 0, 4, 1], [0], []):
        e = np.cumsum([0, *lengths]).astype("int32")
        v, h = (rng.normal(size=n).astype("float32") for n in (e[-1], len(lengths)))
        i, b = rng.integers(0, columns, e[-1]).astype("int32"), rng.normal(size=7).astype("float32")
        by_v, by_b = np.empty_like(v), np.empty_like(b)
        f(e, v, i, b, h, by_v, by_b)
        each, expected = np.repeat(h, lengths), np.zeros(7)
        np.add.at(expected, i, each * v)
        np.testing.assert_allclose(by_v, each * b[i], rtol=1e-5)
        np.testing.assert_allclose(by_b, expected, rtol=1e-5, atol=1e-6)
