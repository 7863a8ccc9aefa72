"""Elements at positions that are data."""

import numpy as np
import pytest

from teloom import te, topi

RNG = np.random.default_rng(0)


def tensor(array, name):
    return te.placeholder(array.shape, array.dtype, name)


def test_take(both):
    a = RNG.normal(size=(3, 4, 2)).astype("float32")
    at, rows = np.array([[0, 5, -2], [3, 1, 1]], "int32"), RNG.integers(0, 4, (3, 5))
    A, I, R = tensor(a, "A"), tensor(at, "I"), tensor(rows, "R")  # noqa: E741
    wanted = [
        (topi.take(A, I, 1), a.take(at, 1, mode="clip")),
        (topi.take(A, I, 0, mode="wrap"), a.take(at, 0, mode="wrap")),
        (topi.take(A, R, 1, mode="fast"), a.take(rows, 1)),
        (topi.take(A, I), a.take(at, mode="clip")),
        (topi.take(A, R, 1, 1), np.stack([a[k].take(rows[k], 0) for k in range(3)])),
    ]
    both({A: a, I: at, R: rows}, wanted)


def test_positions_that_no_signed_number_is(both):
    a, at = RNG.normal(size=10).astype("float32"), np.array([2**63, 2**64 - 1, 3], "uint64")
    A, I = tensor(a, "A"), tensor(at, "I")  # noqa: E741
    wanted = [
        (topi.take(A, I, 0), a[[9, 9, 3]]),
        (topi.take(A, I, 0, mode="wrap"), a[[int(one) % 10 for one in at]]),
    ]
    both({A: a, I: at}, wanted)


def test_gathers(both):
    a = RNG.normal(size=(3, 4, 2)).astype("float32")
    along = RNG.integers(-4, 4, (3, 5, 2))
    at = np.array([[0, 2, -1], [1, -2, 3]], "int32")
    u, i, j = np.array([1, 0], "uint8"), np.array([[0], [-1]]), np.array([1, 2, 0], "int32")
    names = dict(zip("AGIUXY", (a, along, at, u, i, j), strict=True))
    A, G, I, U, X, Y = (tensor(one, name) for name, one in names.items())  # noqa: E741
    wanted = [
        (topi.gather(A, 1, G), np.take_along_axis(a, along, 1)),
        (topi.gather_nd(A, I), a[at[0], at[1]]),
        (topi.gather_nd(A, topi.expand_dims(U, 0)), a[u]),
        (
            topi.gather_nd(A, topi.cast(I, "float32") * 1.2),
            a[(at[0] * 1.2).astype(int), (at[1] * 1.2).astype(int)],
        ),
        (topi.adv_index(A, [X, Y]), a[i, j]),
        (topi.adv_index(A, [U]), a[u]),
    ]
    both(dict(zip((A, G, I, U, X, Y), names.values(), strict=True)), wanted)


def test_choices(both):
    a, b = RNG.normal(size=(4, 3)).astype("float32"), RNG.normal(size=3).astype("float32")
    n, at = np.array([1, 4, 0], "int32"), np.array([[0, 2], [5, -1]], "int32")
    A, B, N, I = tensor(a, "A"), tensor(b, "B"), tensor(n, "N"), tensor(at, "I")  # noqa: E741
    hot = (at[..., None] == np.arange(3)).astype("float32")
    rows = np.arange(4)[:, None]
    wanted = [
        (topi.where(A > 0, A, B), np.where(a > 0, a, b)),
        (topi.where(A > 0, A, 0.0), np.where(a > 0, a, 0)),
        (topi.where(B > 0, topi.cast(B, "int32"), B), np.where(b > 0, b.astype("int32"), b)),
        (topi.one_hot(I, 1, 0, 3, -1, "float32"), hot),
        (topi.one_hot(I, 5, -1, 3, 0, "int8"), np.where(np.moveaxis(hot, -1, 0), 5, -1)),
        (topi.sequence_mask(A, N, -1), np.where(rows < n, a, -1)),
        (topi.sequence_mask(topi.transpose(A), N, axis=1), np.where(rows < n, a, 0).T),
    ]
    both({A: a, B: b, N: n, I: at}, wanted)


def test_unravel_index(both):
    at, shape = np.array([[0, 7], [11, 4]], "int64"), np.array([3, 4], "int64")
    I, S = tensor(at, "I"), tensor(shape, "S")  # noqa: E741
    expected = np.array(np.unravel_index(at, (3, 4)))
    wanted = [(topi.unravel_index(I, (3, 4)), expected), (topi.unravel_index(I, S), expected)]
    both({I: at, S: shape}, [*wanted, (topi.unravel_index(I, [12]), at[None])])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_unravel_narrow_indices_of_a_large_tensor(dtype, both):
    at = np.array([100, 3, 0, 127], dtype)
    places = te.placeholder(at.shape, dtype, name="places")
    expected = np.array(np.unravel_index(at, (30, 5000)), dtype)
    both({places: at}, [(topi.unravel_index(places, (30, 5000)), expected)])


@pytest.mark.parametrize("mode", ["update", "add", "mul", "min", "max"])
def test_scatters(mode, both):
    f = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}.get(mode)
    a, v = RNG.integers(-9, 9, (4, 3)).astype("int32"), RNG.integers(-9, 9, (2, 3)).astype("int32")
    at, rows = np.array([[0, -1, 3], [0, 2, 1]], "int32"), np.array([[1, 3]])
    A, V, I, R = tensor(a, "A"), tensor(v, "V"), tensor(at, "I"), tensor(rows, "R")  # noqa: E741
    elements, parts = a.copy(), a.copy()
    for (k, j), place in np.ndenumerate(at):
        elements[place, j] = f(elements[place, j], v[k, j]) if f else v[k, j]
    for k, row in enumerate(rows[0]):
        parts[row] = f(parts[row], v[k]) if f else v[k]
    wanted = [
        (topi.scatter_elements(A, I, V, 0, mode), elements),
        (topi.scatter_nd(A, R, V, mode), parts),
    ]
    both({A: a, V: v, I: at, R: rows}, wanted)


def test_sparse_to_dense(both):
    at, v, x = np.array([[0, 1], [2, -1]]), np.array([5, 7], "float32"), np.array(9, "float32")
    line, point = np.array([3, 0], "int32"), np.array(2, "int32")
    given = dict(zip("IVXLP", (at, v, x, line, point), strict=True))
    I, V, X, L, P = (tensor(one, name) for name, one in given.items())  # noqa: E741
    wanted = [
        (topi.sparse_to_dense(I, (3, 2), V), np.array([[0, 5], [0, 0], [0, 7.0]])),
        (topi.sparse_to_dense(L, (4,), V, -1), np.array([7, -1, -1, 5.0])),
        (topi.sparse_to_dense(L, [4], X), np.array([9, 0, 0, 9.0])),
        (topi.sparse_to_dense(P, [4], X), np.array([0, 0, 9.0, 0])),
    ]
    both(dict(zip((I, V, X, L, P), given.values(), strict=True)), wanted)


def test_inverse_and_places(both):
    order, a = np.array([2, 0, 3, 1], "int32"), np.array([[0, 3, 0], [4, 0, 5]], "float32")
    O, A = tensor(order, "O"), tensor(a, "A")  # noqa: E741
    wanted = [
        (topi.invert_permutation(O), order.argsort()),
        (topi.argwhere((3, 2), A), np.argwhere(a)),
        (topi.argwhere((2, 2), A), np.argwhere(a)[:2]),
        (topi.argwhere((4, 2), topi.equal(A, 4)), np.pad(np.argwhere(a == 4), ((0, 3), (0, 0)))),
    ]
    both({O: order, A: a}, wanted)


def diagonals(a, given, low, high, align):
    """The definition, diagonal by diagonal."""
    result = a.copy()
    rows, columns = a.shape[-2:]
    for number, k in enumerate(range(high, low - 1, -1)):
        length = min(rows + min(k, 0), columns - max(k, 0))
        row = given[..., number, :] if low != high else given
        side = align.split("_")[0 if k >= 0 else 1]
        values = row[..., row.shape[-1] - length :] if side == "RIGHT" else row[..., :length]
        for n in range(length):
            result[..., n + max(-k, 0), n + max(k, 0)] = values[..., n]
    return result


@pytest.mark.parametrize("shape", [(2, 4, 5), (5, 3)])
def test_matrix_set_diag(shape, interpreted):
    a = np.zeros(shape, "int32")
    A, given, wanted = tensor(a, "A"), {}, []
    for low, high in ((0, 0), (2, 2), (-2, -2), (-1, 1), (-2, 2), (1, 2)):
        length = min(shape[-2] + min(high, 0), shape[-1] - max(low, 0))
        listed = [high - low + 1] if low != high else []
        d = RNG.integers(1, 99, (*shape[:-2], *listed, length)).astype("int32")
        D = tensor(d, f"D{low}{high}")
        given[D] = d
        for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
            k = low if low == high else (low, high)
            found = topi.matrix_set_diag(A, D, k, align)
            wanted.append((found, diagonals(a, d, low, high, align)))
    interpreted({A: a, **given}, wanted)


def test_sizes(symbolic):
    def make(n, m):
        A, V = te.placeholder((n, m), name="A"), te.placeholder((n,), name="V")
        at = topi.cast(topi.abs(V), "int32")
        return [A, V], [
            (
                topi.one_hot(at, 1, 0, m, 1, "bool"),
                lambda a, v: np.abs(v).astype(int)[:, None] == np.arange(a.shape[1]),
            ),
            (
                topi.sequence_mask(A, at, axis=1),
                lambda a, v: np.where(np.arange(a.shape[1]) < np.abs(v).astype(int)[:, None], a, 0),
            ),
            (
                topi.argwhere((n, 1), V > 0),
                lambda a, v: np.pad(np.argwhere(v > 0), ((0, len(v) - (v > 0).sum()), (0, 0))),
            ),
            (
                topi.scatter_nd(A, topi.reshape(topi.arange(n, dtype="int32"), (1, n)), A, "add"),
                lambda a, v: 2 * a,
            ),
        ]

    symbolic(make, "n m", [(3, 5), (1, 1), (0, 4), (2, 0)])


A = te.placeholder((8, 4), name="A")
I = te.placeholder((2, 4), "int32", name="I")  # noqa: E741
V = te.placeholder((8,), "int32", name="V")
TRUE = te.placeholder((4,), "bool", name="T")
PLACES = te.placeholder((4,), "int32", name="places")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: topi.take(A, A, 0),
            "topi.take: indices is A of shape (8, 4) and dtype float32, but",
        ),
        (
            lambda: topi.take(A, I, 0, mode="raise"),
            "mode is 'raise'; known are 'clip', 'wrap', 'fast'",
        ),
        (
            lambda: topi.take(A, I, 0, 1),
            "topi.take: batch_dims is 1, more than axis 0 or I of shape",
        ),
        (lambda: topi.take(A, I, 1, 1), "indices is I of shape (2, 4) and dtype int32, but a is A"),
        (
            lambda: topi.gather(A, 0, V),
            "topi.gather: indices is V of shape (8,) and dtype int32, whose",
        ),
        (
            lambda: topi.gather_nd(A, V),
            "topi.gather_nd: indices is V of shape (8,) and dtype int32, w",
        ),
        (
            lambda: topi.adv_index(V, [I, I]),
            "topi.adv_index: indices are 2, more than the axes of V",
        ),
        (
            lambda: topi.where(I, V, A),
            "topi.where: operands I of shape (2, 4) and dtype int32 and V",
        ),
        (
            lambda: topi.one_hot(A, 1, 0, 3, -1, "int8"),
            "topi.one_hot: indices is A of shape (8, 4)",
        ),
        (
            lambda: topi.one_hot(I, 300, 0, 3, -1, "int8"),
            "topi.one_hot: on_value is 300: 300 does not fit int8",
        ),
        (
            lambda: topi.sequence_mask(A, I),
            "valid_length is I of shape (2, 4) and dtype int32, for A",
        ),
        (
            lambda: topi.scatter_elements(A, I, I),
            "updates is I of shape (2, 4) and dtype int32, but",
        ),
        (
            lambda: topi.scatter_elements(V, I, V),
            "updates is V of shape (8,) and dtype int32, with",
        ),
        (lambda: topi.scatter_nd(A, I, A, "div"), "topi.scatter_nd: mode is 'div'; known are"),
        (
            lambda: topi.scatter_nd(A, I, A),
            "topi.scatter_nd: updates is A of shape (8, 4) and dtype",
        ),
        (
            lambda: topi.sparse_to_dense(I, (8, 4), V),
            "sparse_indices is I of shape (2, 4) and dtype",
        ),
        (
            lambda: topi.sparse_to_dense(V, (8,), I),
            "sparse_values is I of shape (2, 4) and dtype int32",
        ),
        (
            lambda: topi.matrix_set_diag(A, V, 9),
            "topi.matrix_set_diag: k is (9, 9), outside of the",
        ),
        (
            lambda: topi.matrix_set_diag(A, V, (0, 1, 2)),
            "k is (0, 1, 2), neither one diagonal nor the first",
        ),
        (lambda: topi.max(A, 0, np.ones(2)), "topi.max: keepdims is array([1., 1.]), neither"),
        (lambda: topi.expand_dims(A, 0, 2**63), "at most 64 axes, and a is A of shape (8, 4)"),
        (
            lambda: topi.matrix_set_diag(A, A, 1),
            "for diagonals 1..1 of A of shape (8, 4) and dtype",
        ),
        (lambda: topi.argwhere((9, 3), A), "topi.argwhere: output_shape is [9, 3], but must be"),
        (
            lambda: topi.scatter_elements(TRUE, PLACES, TRUE, 0, "add"),
            "topi.scatter_elements: data is T of shape (4,) and dtype bool: add is not defined on",
        ),
        (
            lambda: topi.scatter_nd(TRUE, topi.expand_dims(PLACES, 0), TRUE, "max"),
            "topi.scatter_nd: data is T of shape (4,) and dtype bool: maximum is not defined on",
        ),
        (
            lambda: topi.segment_max(TRUE, PLACES, 2),
            "topi.segment_max: data is T of shape (4,) and dtype bool: maximum is not defined on",
        ),
        (lambda: topi.unravel_index(A, (3,)), "topi.unravel_index: indices is A of shape (8, 4)"),
        (
            lambda: topi.matrix_set_diag(te.placeholder((te.var("n"), 3), name="T"), V),
            "data is T of shape (n, 3) and dtype float32, whose last two extents must be constant",
        ),
        (lambda: topi.invert_permutation(I), "data is I of shape (2, 4) and dtype int32, but must"),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
