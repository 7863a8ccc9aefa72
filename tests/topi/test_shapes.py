"""The same elements in another shape or order, side by side, and in part."""

from typing import Any

import numpy as np
import pytest

from teloom import te, topi

RNG = np.random.default_rng(0)


def tensor(array, name):
    return te.placeholder(array.shape, array.dtype, name)


def test_orders_and_shapes(both):
    a, b = RNG.normal(size=(2, 3, 4)).astype("float32"), np.arange(3, dtype="float32")
    A, B = tensor(a, "A"), tensor(b, "B")
    one = a.reshape(2, 1, 3, 4, 1)
    wanted = [
        (topi.expand_dims(A, 1, 2), a[:, None, None]),
        (topi.expand_dims(A, -1), a[..., None]),
        (topi.expand_like(B, A, (0, 2)), np.broadcast_to(b[None, :, None], a.shape)),
        (topi.transpose(A), a.T),
        (topi.transpose(A, (1, -1, 0)), a.transpose(1, 2, 0)),
        (topi.flip(A, 2), a[..., ::-1]),
        (topi.reshape(A, (6, 4)), a.reshape(6, 4)),
        (topi.reshape(A, (4, -1, 3)), a.reshape(4, -1, 3)),
        (topi.reshape(A, -1), a.ravel()),
        (topi.reshape(A, (2, 12, 1)), a.reshape(2, 12, 1)),
        (topi.squeeze(topi.reshape(A, one.shape)), a),
        (topi.squeeze(topi.reshape(A, one.shape), -1), one[..., 0]),
        (topi.shape(A), np.array([2, 3, 4])),
        (topi.ndarray_size(A, "int64"), 24),
    ]
    both({A: a, B: b}, wanted)


def test_reverse_sequence(both):
    a, n = RNG.normal(size=(4, 3, 2)).astype("float32"), np.array([2, 0, 9], "int64")
    A, N = tensor(a, "A"), tensor(n, "N")
    expected = a.copy()
    expected[:2, 0] = a[1::-1, 0]
    expected[:, 2] = a[::-1, 2]
    both({A: a, N: n}, [(topi.reverse_sequence(A, N, 0, 1), expected)])


@pytest.mark.parametrize(
    ("dtype", "length"), [("int64", 2**32 + 1), ("uint32", 2**32 - 1), ("uint64", 2**63)]
)
def test_a_length_beyond_the_axis_is_the_axis(dtype, length, both):
    a, n = np.arange(4, dtype="float32")[None], np.array([length], dtype)
    A, N = (te.placeholder(one.shape, one.dtype, name) for one, name in ((a, "A"), (n, "N")))
    both({A: a, N: n}, [(topi.reverse_sequence(A, N), a[:, ::-1])])


def test_layouts(both):
    a = RNG.normal(size=(1, 8, 3, 2)).astype("float32")
    A = tensor(a, "A")
    blocked = topi.layout_transform(A, "NCHW", "NCHW4c")
    wanted = [
        (topi.layout_transform(A, "NCHW", "NHWC"), a.transpose(0, 2, 3, 1)),
        (blocked, a.reshape(1, 2, 4, 3, 2).transpose(0, 1, 3, 4, 2)),
        (topi.layout_transform(blocked, "NCHW4c", "NHWC"), a.transpose(0, 2, 3, 1)),
        (
            topi.layout_transform(blocked, "NCHW4c", "NCHW2c"),
            a.reshape(1, 4, 2, 3, 2).transpose(0, 1, 3, 4, 2),
        ),
        (
            topi.layout_transform(A, "NCHW", "NCHW5c"),
            np.pad(a, [(0, 0), (0, 2), (0, 0), (0, 0)])
            .reshape(1, 2, 5, 3, 2)
            .transpose(0, 1, 3, 4, 2),
        ),
        (
            topi.layout_transform(blocked, "NCHW4c", "NCHW3c"),
            np.pad(a, [(0, 0), (0, 1), (0, 0), (0, 0)])
            .reshape(1, 3, 3, 3, 2)
            .transpose(0, 1, 3, 4, 2),
        ),
    ]
    both({A: a}, wanted)


def test_joins(both):
    a, b = RNG.normal(size=(2, 3)).astype("float32"), RNG.integers(0, 9, (2, 1)).astype("int32")
    e = np.zeros((2, 0), "float32")
    A, B, E = tensor(a, "A"), tensor(b, "B"), tensor(e, "E")
    x, y = np.arange(3, dtype="float32"), np.arange(2, dtype="float32")
    X, Y = tensor(x, "X"), tensor(y, "Y")
    wanted = [
        (topi.concatenate([A, B, E, A], 1), np.concatenate([a, b.astype("float32"), e, a], 1)),
        (topi.concatenate([A]), a),
        (topi.stack([A, A, A], -1), np.stack([a, a, a], -1)),
        (topi.repeat(A, 2, 0), a.repeat(2, 0)),
        (topi.repeat(A, 0, 1), a.repeat(0, 1)),
        (topi.tile(A, (3, 1, 2)), np.tile(a, (3, 1, 2))),
        (topi.tile(A, 2), np.tile(a, 2)),
        (topi.tile(A, (0, 1)), np.tile(a, (0, 1))),
        *zip(topi.meshgrid([X, Y], "xy"), np.meshgrid(x, y), strict=True),
        *zip(topi.meshgrid([X, Y], "ij"), np.meshgrid(x, y, indexing="ij"), strict=True),
        (topi.elemwise_sum([A, A, A]), 3 * a),
    ]
    both({A: a, B: b, E: e, X: x, Y: y}, wanted)


def test_slices(both):
    a, v = RNG.normal(size=(5, 6)).astype("float32"), np.ones((2, 6), "float32")
    A, V = tensor(a, "A"), tensor(v, "V")
    first, last = a.copy(), a.copy()
    first[1:5:3], last[4:1:-2] = v, v
    wanted = [
        (topi.strided_slice(A, [1], [4]), a[1:4]),
        (topi.strided_slice(A, [1, -3], [99, -1], [2, 1]), a[1:99:2, -3:-1]),
        (topi.strided_slice(A, [-1, 5], [-99, None], [-1, -2]), a[-1:-99:-1, 5::-2]),
        (topi.strided_slice(A, [2], [4], axes=[1]), a[:, 2:4]),
        (topi.strided_slice(A, [3], [2]), a[3:2]),
        (topi.strided_slice(A, [1, 2], [-1, 3], slice_mode="size"), a[1:, 2:5]),
        (topi.strided_set(A, V, [1], [5], [3]), first),
        (topi.strided_set(A, V, [4], [1], [-2]), last),
        *zip(topi.split(A, 3, 1), np.split(a, 3, 1), strict=True),
        *zip(topi.split(A, (1, 1, 4)), np.split(a, (1, 1, 4)), strict=True),
        (topi.sliding_window(A, 0, [2, 3], [1, 2]), windows(a, (2, 3))[:, ::2]),
        (topi.sliding_window(A, 1, 4, 1), windows(a, (4,), (1,))),
    ]
    both({A: a, V: v}, wanted)


def windows(a, shape, axes=None):
    return np.lib.stride_tricks.sliding_window_view(a, shape, axes)


def test_fills(both):
    a = RNG.integers(1, 9, (4, 3)).astype("int32")
    A, K = tensor(a, "A"), te.placeholder((), "int32", "K")
    wanted = [
        (topi.full((2, 3), "float32", 0.5), np.full((2, 3), 0.5)),
        (topi.full_like(A, 7), np.full_like(a, 7)),
        (topi.arange(5), np.arange(5.0)),
        (topi.arange(-1, 2, 0.25), np.arange(-1, 2, 0.25)),
        (topi.arange(7, 0, -2, "int8"), np.arange(7, 0, -2)),
        (topi.arange(te.const(1), te.const(9), te.const(3), "int32"), np.arange(1, 9, 3)),
        (topi.arange(3, 1, dtype="int32"), np.arange(3, 1)),
        (topi.trilu(A, 0, True), np.triu(a)),
        (topi.trilu(A, -1, False), np.tril(a, -1)),
        (topi.trilu(A, K, True), np.triu(a, 1)),
    ]
    both({A: a, K: np.array(1, "int32")}, wanted)


def test_products(both):
    a, b, v = (RNG.normal(size=shape).astype("float32") for shape in ((3, 4), (4, 2), (4,)))
    t = RNG.normal(size=(2, 4, 3)).astype("float32")
    A, B, V, T = (tensor(one, name) for one, name in zip((a, b, v, t), "ABVT", strict=True))
    wanted = [
        (topi.matmul(A, B), a @ b),
        (topi.matmul(B, A, True, True), b.T @ a.T),
        (A @ V, a @ v),
        (V @ B, v @ b),
        (V @ V, v @ v),
        (topi.tensordot(T, A, 1), np.tensordot(t, a, 1)),
        (topi.tensordot(T, A, ((1, 2), (1, 0))), np.tensordot(t, a, ((1, 2), (1, 0)))),
        (topi.tensordot(V, V, 0), np.tensordot(v, v, 0)),
    ]
    for text in ("ij,jk", "ij,jk->ki", "ij,jk->", "ij,jk->ikj"):
        wanted.append((topi.einsum(text, A, B), np.einsum(text, a, b)))
    for text in ("ijk->kij", "ijk->j", "...k->k...", "..."):
        wanted.append((topi.einsum(text, T), np.einsum(text, t)))
    for text in ("bjk,kj->b", "...jk,kl->...jl", "bjk,kj"):
        wanted.append((topi.einsum(text, T, A), np.einsum(text, t, a)))
    both({A: a, B: b, V: v, T: t}, wanted)


def test_einsum_of_many(both):
    shapes = {"A": (3, 4), "B": (4, 2), "C": (2, 5), "D": (1, 5)}
    arrays = {name: RNG.normal(size=shape).astype("float32") for name, shape in shapes.items()}
    tensors = {name: tensor(array, name) for name, array in arrays.items()}
    wanted = []
    for names, text in (
        ("ABC", "ij,jk,kl"),
        ("ABC", "ij,jk,kl->l"),
        ("CBA", "kl,jk,ij->ij"),
        ("ABCD", "ij,jk,kl,xl->i"),
        ("ABCD", "ij,jk,kl,xy->y"),
        ("AAA", "ij,ij,ij->j"),
        ("BDB", "...k,yl,jk->...l"),
    ):
        result = topi.einsum(text, *(tensors[name] for name in names))
        wanted.append((result, np.einsum(text, *(arrays[name] for name in names))))
    both({tensors[name]: arrays[name] for name in shapes}, wanted)


def test_einsum_multiplies_two_at_a_time_where_that_is_less_work():
    def stages(text, *shapes, dtype="float32"):
        given = (te.placeholder(shape, dtype, name="x") for shape in shapes)
        return len(te.create_schedule(topi.einsum(text, *given)).stages) - len(shapes)

    n = te.var("n")
    assert stages("ij,jk,kl->il", (64, 64), (64, 64), (64, 64)) == 2
    assert stages("ij,jk,kl->il", (n, 64), (64, n), (n, 64)) == 2
    assert stages("ij,j,ij->ij", (64, 64), (64,), (64, 64)) == 1
    assert stages("ij,jk,kl->il", (0, 64), (64, 64), (64, 64)) == 2
    left, right = te.placeholder((8, 8), "int8", "A"), te.placeholder((8, 8), "float32", "B")
    mixed = topi.einsum("ij,jk,kl->il", left, left, right)
    assert [one.name for one in mixed.op.input_tensors] == ["A", "B"]


def test_diagonals_of_einsum(interpreted):
    a = RNG.normal(size=(3, 3)).astype("float32")
    A = tensor(a, "A")
    interpreted(
        {A: a},
        [
            *((topi.einsum(x, A), np.einsum(x, a)) for x in ("ii", "ii->i")),
            *(
                (topi.einsum(x, A, A), np.einsum(x, a, a))
                for x in ("ij,ij->ij", "ij,ij", "ij,ji->i")
            ),
        ],
    )


def test_sizes(symbolic):
    def make(n, m):
        A, B = te.placeholder((n, m), name="A"), te.placeholder((n, 6), name="B")
        return [A, B], [
            (topi.transpose(A), lambda a, b: a.T),
            (topi.reshape(B, (-1, 3)), lambda a, b: b.reshape(-1, 3)),
            (topi.reshape(A, (m, n)), lambda a, b: a.reshape(a.shape[::-1])),
            (topi.reshape(topi.stack([A] * 6, 1), (n * 6, m)), lambda a, b: a.repeat(6, 0)),
            (topi.nn.flatten(topi.stack([A] * 6, 2)), lambda a, b: a.repeat(6, 1)),
            (
                topi.reshape(topi.stack([A] * 6, 1), (n * 3, -1)),
                lambda a, b: a.repeat(6, 0).reshape(3 * len(a), 2 * a.shape[1]),
            ),
            (
                topi.reshape(topi.concatenate([A, A]), (-1, 2 * m)),
                lambda a, b: np.concatenate([a, a]).reshape(len(a), 2 * a.shape[1]),
            ),
            (topi.flip(A, 1), lambda a, b: a[:, ::-1]),
            (topi.concatenate([A, B], 1), lambda a, b: np.concatenate([a, b], 1)),
            (topi.repeat(A, 2, 1), lambda a, b: a.repeat(2, 1)),
            (topi.tile(A, (2, 3)), lambda a, b: np.tile(a, (2, 3))),
            (topi.strided_slice(A, [0], [None], [2]), lambda a, b: a[::2]),
            (topi.split(B, (2,), 1)[1], lambda a, b: b[:, 2:]),
            (topi.matmul(A, B, transp_a=True), lambda a, b: a.T @ b),
            (topi.shape(A), lambda a, b: np.array(a.shape)),
            (topi.ndarray_size(A), lambda a, b: a.size),
            (topi.arange(n, n + m, 2, "int32"), lambda a, b: np.arange(len(a), sum(a.shape), 2)),
            (topi.layout_transform(B, "HW", "WH3w"), lambda a, b: blocks(b)),
            (topi.layout_transform(B, "HW", "HW2h"), lambda a, b: halves(b)),
        ]

    symbolic(make, "n m", [(3, 5), (1, 1), (0, 4), (2, 0)])


def halves(b):
    return np.pad(b, [(0, -len(b) % 2), (0, 0)]).reshape(-1, 2, b.shape[1]).transpose(0, 2, 1)


def blocks(b):
    return b.reshape(len(b), 2, 3).transpose(1, 0, 2)


A, B = te.placeholder((8, 4), name="A"), te.placeholder((3,), name="B")
N = te.placeholder((te.var("n"), 4), name="N")
ROWS, COLUMNS = te.var("n"), te.var("m")
SIZES = te.placeholder((ROWS, COLUMNS), name="S")
NUMBER: Any = 3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: topi.transpose(A, (0, 0)),
            "axes is [0, 0], which is no order of the axes of A of",
        ),
        (
            lambda: topi.reshape(SIZES, -1),
            "topi.reshape: newshape is [-1], so that axis 0 has the extent (n * m) for S of shape "
            "(n, m) and dtype float32, but an extent can have one factor with sizes only; keep "
            "the others on axes of their own",
        ),
        (
            lambda: topi.reshape(SIZES, (1, COLUMNS * (ROWS * 1))),
            "topi.reshape: newshape is [1, (m * n)], so that axis 1 has the extent",
        ),
        (
            lambda: topi.reshape(topi.stack([SIZES] * 2, 2), (2, -1)),
            "newshape is [2, -1], so that axis 1 has the extent (n * m) for",
        ),
        (
            lambda: topi.reshape(A, (5, -1)),
            "has an extent of -1, but 5 does not divide the 32 of A of",
        ),
        (lambda: topi.reshape(A, (-1, -1)), "one extent may be -1, no other is negative"),
        (
            lambda: topi.reshape(N, (8, 4)),
            "newshape is [8, 4], which has 32 elements, but N of shape",
        ),
        (lambda: topi.transpose(A, 1), "topi.transpose: axes is 1, not a list"),
        (lambda: topi.strided_slice(A, NUMBER, [4]), "topi.strided_slice: begin is 3, not a list"),
        (
            lambda: topi.reshape(A, ("a", 2)),
            "topi.reshape: newshape is 'a', not an integer that is",
        ),
        (
            lambda: topi.trilu(A, A, True),
            "topi.trilu: k is A of shape (8, 4) and dtype float32, but",
        ),
        (lambda: topi.arange(float("nan")), "topi.arange: stop is nan"),
        (lambda: topi.squeeze(A, 1), "axis is 1, but A of shape (8, 4) and dtype float32 has no"),
        (
            lambda: topi.expand_like(B, A, 0),
            "a is B of shape (3,) and dtype float32, which axes [1]",
        ),
        (lambda: topi.layout_transform(A, "NCHW", "NHWC"), "src_layout is 'NCHW', but array is A"),
        (
            lambda: topi.layout_transform(A, "NC", "NH"),
            "dst_layout is 'NH', whose axes 'NC' has not",
        ),
        (lambda: topi.layout_transform(A, "N4", "NH"), "'N4', which is no layout such as NCHW or"),
        (
            lambda: topi.concatenate([A, B]),
            "a_tuple[1] is B of shape (3,) and dtype float32, which",
        ),
        (lambda: topi.concatenate([A, B]), "on axis 0: it has 1 axes, not 2"),
        (
            lambda: topi.concatenate([A, te.placeholder((8, 5))]),
            "on axis 0: on axis 1 it has the extent 5, not 4",
        ),
        (lambda: topi.concatenate([]), "topi.concatenate: a_tuple is empty; at least one tensor"),
        (lambda: topi.concatenate([A, NUMBER]), "topi.concatenate: a_tuple[1] is 3, not a tensor"),
        (lambda: topi.stack([A, B]), "a[1] is B of shape (3,) and dtype float32, not as A"),
        (lambda: topi.split(A, 3), "is 3, which does not divide the extent 8 of axis 0 of A"),
        (lambda: topi.split(A, (5, 2)), "indices_or_sections is [5, 2], not in order in 0..8"),
        (lambda: topi.repeat(A, -1, 0), "topi.repeat: repeats is -1, but must be at least 0"),
        (lambda: topi.strided_slice(A, [0], [4], [0]), "topi.strided_slice: strides has a 0"),
        (lambda: topi.strided_slice(A, [0, 0, 0], [1, 1, 1]), "longer than A of shape (8, 4)"),
        (lambda: topi.strided_slice(A, [0], [1, 1]), "these have different lengths"),
        (lambda: topi.strided_set(A, B, [0], [3]), "v is B of shape (3,) and dtype float32, but"),
        (lambda: topi.sliding_window(A, 1, 5, 1), "window_shape is [5], which is larger than A"),
        (lambda: topi.matmul(A, B), "b has the extent 3 on axis 0, but a has 4 on axis 1: b is B"),
        (lambda: A @ te.placeholder((2, 2, 2), name="T"), "b is T of shape (2, 2, 2) and dtype"),
        (lambda: A @ 2, "topi.matmul: b is 2, not a tensor"),
        (lambda: topi.tensordot(A, B, 2), "topi.tensordot: axes is 2, more than A of shape (8, 4)"),
        (lambda: topi.einsum("ij,jk", A), "subscripts is 'ij,jk', but there are 1 operands"),
        (
            lambda: topi.einsum("i1->i", A),
            "topi.einsum: subscripts is 'i1->i', whose '1' is no letter from a to z or A to Z",
        ),
        (lambda: topi.einsum("ié", A), "subscripts is 'ié', whose 'é' is no letter from a to z"),
        (lambda: topi.einsum("ij->i.", A), "subscripts is 'ij->i.', whose '.' is no letter"),
        (lambda: topi.einsum("ijk", A), "'ijk' is not operand[0], A of shape (8, 4)"),
        (lambda: topi.einsum("ij,j", A, B), "operand[1] is B of shape (3,) and dtype float32, but"),
        (lambda: topi.einsum("ij->k", A), "'ij->k', whose result 'k' is not of its axes"),
        (lambda: topi.arange(0, 4, 0), "topi.arange: step is 0"),
        (lambda: topi.full((3,), "flt", 1), "topi.full: dtype is 'flt': unknown dtype 'flt'"),
        (
            lambda: topi.strided_slice(A, [0, 1], [4, 3], axes=[0, -2]),
            "topi.strided_slice: axes is [0, -2], which has an axis twice",
        ),
        (lambda: topi.arange(te.var("n"), step=-1), "step is -1; with sizes it is a constant"),
        (
            lambda: topi.trilu(B, 0, True),
            "data is B of shape (3,) and dtype float32, but must have 2",
        ),
        (lambda: topi.meshgrid([B, B], "yx"), "indexing is 'yx'; known are 'ij', 'xy'"),
        (lambda: topi.elemwise_sum([A, B]), "xs[1] has the shape (3,), but xs[0] has (8, 4)"),
    ],
)
def test_refusals(make, words, refuses):
    refuses(make, words)
